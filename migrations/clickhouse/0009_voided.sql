-- What was voided (a commit of an owner that had lost its namespace) is no change and no link of the chain; its numbers
-- stand in the journal so that rows that come in late are outlasted.
CREATE OR REPLACE VIEW loom.changes AS
SELECT org, namespace, position AS version, action AS change, agent, user_id, session_id, memory_key, memory_id, status,
       write_id, cause, epoch, seq
FROM loom.journal FINAL
WHERE action NOT IN ('read', 'void');

CREATE OR REPLACE VIEW loom.audit_log AS
SELECT org, namespace, position, at, actor, action, memory_id, content_sha256, write_id, prev_hash, hash, epoch, seq
FROM loom.journal FINAL
WHERE action != 'void';
