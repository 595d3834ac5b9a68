-- Live memory under the authority of Postgres: the heads, the answers that are kept for retries, and what is not yet
-- projected to ClickHouse, where search, history and everything derived live. A commit is one statement over these and the
-- row of the fence. A row is kept whole as UTF-8 JSON in bytes, since neither text nor jsonb holds U+0000; what a statement
-- asks for stands beside it in columns.
ALTER TABLE loom.fence ADD COLUMN audit_at numeric(20, 0) NOT NULL DEFAULT 0;

ALTER TABLE loom.fence ADD COLUMN audit_hash text NOT NULL DEFAULT '';

COMMENT ON COLUMN loom.fence.audit_at IS 'Position of the last link of the audit chain; under the authority of Postgres';

COMMENT ON COLUMN loom.fence.audit_hash IS 'Hash of that link; empty when there is none';

-- Six names of the longest kind would not fit an entry of an index, so a place is found by its hash, and a key too.
CREATE TABLE loom.heads
(
    org text NOT NULL,
    namespace text NOT NULL,
    place text COLLATE "C" NOT NULL,
    agent text NOT NULL,
    user_id text NOT NULL,
    session_id text NOT NULL,
    memory_key text NOT NULL,
    memory_id text NOT NULL,
    memory_type text NOT NULL,
    status text NOT NULL,
    sensitivity text NOT NULL,
    content_sha256 text NOT NULL,
    canonical_sha256 text NOT NULL,
    version numeric(20, 0) NOT NULL,
    expires_at bigint,
    valid_to bigint,
    duplicate_of text NOT NULL,
    conflict_with text[] NOT NULL,
    value_bytes integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (org, namespace, place)
);

CREATE INDEX heads_key ON loom.heads (org, namespace, md5(memory_key));

CREATE INDEX heads_id ON loom.heads (org, namespace, memory_id);

CREATE INDEX heads_canonical ON loom.heads (org, namespace, canonical_sha256) WHERE canonical_sha256 <> '';

CREATE INDEX heads_content ON loom.heads (org, namespace, content_sha256);

CREATE INDEX heads_duplicate ON loom.heads (org, namespace, duplicate_of) WHERE duplicate_of <> '';

CREATE INDEX heads_conflict ON loom.heads USING gin (conflict_with) WHERE conflict_with <> '{}';

COMMENT ON COLUMN loom.heads.org IS 'Tenant';

COMMENT ON COLUMN loom.heads.namespace IS 'Namespace within the tenant';

COMMENT ON COLUMN loom.heads.place IS 'Hex SHA-256 of writer and key';

COMMENT ON COLUMN loom.heads.agent IS 'Writing agent; empty when none';

COMMENT ON COLUMN loom.heads.user_id IS 'User the memory belongs to; - is the anonymous user';

COMMENT ON COLUMN loom.heads.session_id IS 'Session it was written in; empty when none';

COMMENT ON COLUMN loom.heads.memory_key IS 'One attribute of one subject';

COMMENT ON COLUMN loom.heads.memory_id IS 'Stays for the life of the identity';

COMMENT ON COLUMN loom.heads.memory_type IS 'As in the row';

COMMENT ON COLUMN loom.heads.status IS 'As in the row';

COMMENT ON COLUMN loom.heads.sensitivity IS 'none, medium or high';

COMMENT ON COLUMN loom.heads.content_sha256 IS 'Hex SHA-256 of the value text';

COMMENT ON COLUMN loom.heads.canonical_sha256 IS 'Hex SHA-256 of the canonical form; empty for values that are not judged';

COMMENT ON COLUMN loom.heads.version IS 'Nanoseconds, strictly growing per namespace';

COMMENT ON COLUMN loom.heads.expires_at IS 'Milliseconds since 1970; null when it does not expire';

COMMENT ON COLUMN loom.heads.valid_to IS 'Milliseconds since 1970; null when it does not end';

COMMENT ON COLUMN loom.heads.duplicate_of IS 'memory_id of the row that answers for it';

COMMENT ON COLUMN loom.heads.conflict_with IS 'memory_ids of the rows it contradicts';

COMMENT ON COLUMN loom.heads.value_bytes IS 'Length of the value in UTF-8';

COMMENT ON COLUMN loom.heads.body IS 'The whole row, UTF-8 JSON';

CREATE TABLE loom.answers
(
    org text NOT NULL,
    namespace text NOT NULL,
    idem_hash text NOT NULL,
    version numeric(20, 0) NOT NULL,
    at bigint NOT NULL,
    payload_hash text NOT NULL,
    write_id text NOT NULL,
    answer bytea NOT NULL,
    PRIMARY KEY (org, namespace, idem_hash, version)
);

CREATE INDEX answers_at ON loom.answers (org, namespace, at);

COMMENT ON COLUMN loom.answers.org IS 'Tenant';

COMMENT ON COLUMN loom.answers.namespace IS 'Namespace within the tenant';

COMMENT ON COLUMN loom.answers.idem_hash IS 'Hash of the idempotency key';

COMMENT ON COLUMN loom.answers.version IS 'Of the row that the write wrote first, or a number of its own';

COMMENT ON COLUMN loom.answers.at IS 'When it was given; milliseconds since 1970';

COMMENT ON COLUMN loom.answers.payload_hash IS 'Hex SHA-256 of the request the key was used with';

COMMENT ON COLUMN loom.answers.write_id IS 'The write it answers';

COMMENT ON COLUMN loom.answers.answer IS 'In wire form, UTF-8; empty on a later row of a write';

-- A number is drawn behind the lock of its namespace, so within one they rise in the order of the commits.
CREATE TABLE loom.outbox
(
    id bigint GENERATED ALWAYS AS IDENTITY,
    org text NOT NULL,
    namespace text NOT NULL,
    versions numeric(20, 0)[] NOT NULL,
    body bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (id)
);

CREATE INDEX outbox_scope ON loom.outbox (org, namespace, id);

COMMENT ON COLUMN loom.outbox.id IS 'Rises from commit to commit of a namespace';

COMMENT ON COLUMN loom.outbox.org IS 'Tenant';

COMMENT ON COLUMN loom.outbox.namespace IS 'Namespace within the tenant';

COMMENT ON COLUMN loom.outbox.versions IS 'Of the rows of the commit';

COMMENT ON COLUMN loom.outbox.body IS 'The commit with everything derived; vectors as bytes';

COMMENT ON COLUMN loom.outbox.at IS 'When it was committed, by the clock of Postgres';

-- One row, always there: whoever takes a namespace holds it meanwhile, so a take and a change of authority never cross.
CREATE TABLE loom.authorities
(
    part text NOT NULL PRIMARY KEY,
    authority text NOT NULL DEFAULT '' CHECK (authority IN ('', 'clickhouse', 'postgres')),
    mover text NOT NULL DEFAULT '',
    moving_until timestamptz,
    closed boolean NOT NULL DEFAULT false
);

INSERT INTO loom.authorities (part) VALUES ('memory');

COMMENT ON COLUMN loom.authorities.part IS 'What it is about: memory';

COMMENT ON COLUMN loom.authorities.authority IS 'clickhouse or postgres; empty when nobody decided, which means clickhouse';

COMMENT ON COLUMN loom.authorities.mover IS 'Who moves it under the other; empty when nobody does';

COMMENT ON COLUMN loom.authorities.moving_until IS 'The mover is taken for gone from then on, by the clock of Postgres';

COMMENT ON COLUMN loom.authorities.closed IS 'Nobody may take a namespace while the mover lives';

CREATE INDEX answers_age ON loom.answers (at)
