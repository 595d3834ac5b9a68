-- The heads, their history and the journal. One block into loom.memory is the commit; the other two are filled from that
-- block by materialised views and repaired by anti-join. A commit costs one part in each table, and a part of few rows
-- costs its files (about a third of the time of an insert is the making of files), so parts are kept at few of them: no
-- marks of substreams, no sparse columns, one serialisation of strings and one file for all skip indexes. A merge takes
-- ten parts and not five, since the engine counts a part below 5 MiB as one of 5 MiB and would write the whole of a small
-- table again with every few commits (measured: 629 rows an insert of 60, now 256). All three are synced at every
-- insert: the heads are what was acknowledged, the history holds what a merge of the heads throws away, the journal holds
-- audited reads, which no other table knows.
CREATE TABLE IF NOT EXISTS loom.memory
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant; the unit of write serialisation',
    agent String COMMENT 'Writing agent; empty when none',
    user_id String COMMENT 'User the memory belongs to; - is the anonymous user',
    session_id String COMMENT 'Session it was written in; empty when none',
    memory_key String COMMENT 'Readable path <scope>/<kind>/<id>: one attribute of one subject',
    memory_id String COMMENT 'mem_<uuidv7>, stays for the life of the identity',
    run_id String COMMENT 'Run that wrote the latest value; empty when none',
    value String COMMENT 'The claim: a string as it is, other JSON in RFC 8785 form' CODEC(ZSTD(1)),
    value_kind LowCardinality(String) COMMENT 'string or json',
    content_sha256 String COMMENT 'Hex SHA-256 of the value text',
    canonical_sha256 String COMMENT 'Hex SHA-256 of the canonical form; empty for values that are not judged',
    memory_type LowCardinality(String) COMMENT 'semantic, preference, procedural, reflection, episodic, profile or a domain type',
    tags Array(String) COMMENT 'Facets, case kept',
    entities Array(String) COMMENT 'Named things in canonical form',
    relations String COMMENT 'JSON list of [subject, predicate, object]',
    files Array(String) COMMENT 'Paths the memory is about',
    confidence Float64 COMMENT '0 to 1',
    status LowCardinality(String) COMMENT 'active, conflicted, duplicate, superseded, proposed, rejected, tombstoned or void',
    pinned Bool COMMENT 'No write that does not itself pin replaces it',
    conflict_with Array(String) COMMENT 'memory_ids of the rows it contradicts',
    duplicate_of String COMMENT 'memory_id of the row that answers for it',
    superseded_by String COMMENT 'memory_id of the row that replaced it',
    version UInt64 COMMENT 'Nanoseconds, strictly growing per namespace; the knowledge time',
    created_at DateTime64(3, 'UTC') COMMENT 'When the identity was first written',
    updated_at DateTime64(3, 'UTC') COMMENT 'When this version was written',
    valid_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the fact became true, as stated',
    valid_to Nullable(DateTime64(3, 'UTC')) COMMENT 'When the fact stopped being true',
    temporal_anchor Nullable(DateTime64(3, 'UTC')) COMMENT 'Date the fact is about, set by extraction',
    temporal_confidence Nullable(Float64) COMMENT '0 to 1, how sure the anchor is',
    invalid_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the row was retired',
    tombstoned_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When its writer deleted it',
    expires_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it leaves the served set',
    on_expire LowCardinality(String) COMMENT 'What the expiry does; empty when no expiry',
    expire_reason String COMMENT 'Why it expires',
    actor String COMMENT 'human:<subject> or process:<subject>, from the token',
    source_class LowCardinality(String) COMMENT 'asserted, extracted, observed, derived, imported or external',
    source_trace String COMMENT 'Where the writer says it came from',
    source_resource_id String COMMENT 'Resource the writer names as source',
    verified_by String COMMENT 'Who attested the content; empty when nobody',
    verified_kind LowCardinality(String) COMMENT 'human or process; empty when nobody',
    verified_sha256 String COMMENT 'content_sha256 the attestation binds to',
    verified_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was attested',
    lock_mode LowCardinality(String) COMMENT 'read_only or no_delete; empty when not locked',
    lock_until Nullable(DateTime64(3, 'UTC')) COMMENT 'When the lock lapses; null means never',
    lock_reason String COMMENT 'Why it is locked',
    locked_by String COMMENT 'Who locked it',
    sensitivity LowCardinality(String) COMMENT 'none, medium or high',
    char_limit UInt32 COMMENT 'Longest value the writer allows under the key; 0 means no limit',
    retyped_from LowCardinality(String) COMMENT 'The type the writer asked for when the row was stored as another',
    reinforcement_count UInt32 COMMENT '1 on the first write, one more for each restatement or merge',
    write_id String COMMENT 'The write that made this version',
    idem_hash String COMMENT 'Hex SHA-256 of the caller''s idempotency key; empty when none',
    payload_hash String COMMENT 'Hex SHA-256 of the request the key was used with',
    answer String COMMENT 'The answer of the write in wire form, on its first row; empty elsewhere' CODEC(ZSTD(1)),
    change LowCardinality(String) COMMENT 'What happened: create, revise, restate, merge, delete, restore, retire, flag, repair',
    cause String COMMENT 'The write and rule that caused a change to another row; empty for the write''s own row',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner; 0 in single-process mode',
    seq UInt64 COMMENT 'Commit sequence within the epoch',
    audit_prev String COMMENT 'Hash of the audit link before this one in the namespace',
    audit_hash String COMMENT 'Hash of this audit link',
    revision UInt32 DEFAULT 0 COMMENT 'Always 0 here; in the history a redaction is a later revision of the same version',
    INDEX ix_memory_key memory_key TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX ix_memory_id memory_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX ix_status status TYPE set(8) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, memory_key)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1,
    write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 10, packed_skip_index_max_bytes = 1048576;

CREATE TABLE IF NOT EXISTS loom.memory_versions AS loom.memory
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, namespace, agent, user_id, session_id, memory_key, version)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1,
    write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 10, packed_skip_index_max_bytes = 1048576;

-- The indexes serve reads of heads; the history is read by identity.
ALTER TABLE loom.memory_versions DROP INDEX IF EXISTS ix_memory_key;

ALTER TABLE loom.memory_versions DROP INDEX IF EXISTS ix_memory_id;

ALTER TABLE loom.memory_versions DROP INDEX IF EXISTS ix_status;

CREATE MATERIALIZED VIEW IF NOT EXISTS loom.memory_to_versions TO loom.memory_versions AS SELECT * FROM loom.memory;

CREATE TABLE IF NOT EXISTS loom.journal
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace; one order of changes and one hash chain each',
    position UInt64 COMMENT 'The version of the row that changed, or a number of the same counter for an audited read',
    at DateTime64(3, 'UTC') COMMENT 'When it happened',
    actor String COMMENT 'Who did it',
    action LowCardinality(String) COMMENT 'What happened, as in memory.change, or read',
    agent String COMMENT 'Identity of the row; empty for an audited read',
    user_id String COMMENT 'Identity of the row; empty for an audited read',
    session_id String COMMENT 'Identity of the row; empty for an audited read',
    memory_key String COMMENT 'Identity of the row; empty for an audited read',
    memory_id String COMMENT 'The row it happened to',
    content_sha256 String COMMENT 'Hash of the content after the change; never the content',
    status LowCardinality(String) COMMENT 'Status after the change; empty for an audited read',
    write_id String COMMENT 'The write it belongs to',
    cause String COMMENT 'The write and rule behind a change to another row',
    prev_hash String COMMENT 'Hash of the link before; empty for the first',
    hash String COMMENT 'Hex SHA-256 over the link before and this link''s fields',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner',
    seq UInt64 COMMENT 'Commit sequence within the epoch',
    revision UInt32 DEFAULT 0 COMMENT '0 as written; an erasure that empties the identity is a later revision'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (org, namespace, position)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1,
    write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 10;

CREATE MATERIALIZED VIEW IF NOT EXISTS loom.memory_to_journal TO loom.journal AS
SELECT org, namespace, version AS position, updated_at AS at, actor, change AS action, agent, user_id, session_id, memory_key,
       memory_id, content_sha256, status, write_id, cause, audit_prev AS prev_hash, audit_hash AS hash, epoch, seq, revision
FROM loom.memory;

-- The feed of all changes, ordered by version, which workers read by cursor.
CREATE VIEW IF NOT EXISTS loom.changes AS
SELECT org, namespace, position AS version, action AS change, agent, user_id, session_id, memory_key, memory_id, status,
       write_id, cause, epoch, seq
FROM loom.journal FINAL
WHERE action != 'read';

-- The chain of hashes: that something happened to an id, never under which key or whose it is.
CREATE VIEW IF NOT EXISTS loom.audit_log AS
SELECT org, namespace, position, at, actor, action, memory_id, content_sha256, write_id, prev_hash, hash, epoch, seq
FROM loom.journal FINAL;
