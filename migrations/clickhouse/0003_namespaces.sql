-- What a namespace is and may do, its version counter, the tokens that open it, and answers of writes that wrote no row.
CREATE TABLE IF NOT EXISTS loom.namespaces
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    default_conflict_policy LowCardinality(String) COMMENT 'auto_reinforce, manual_review, newest_wins or append_only',
    settings String COMMENT 'Further policies as JSON',
    description String COMMENT 'What the namespace is for',
    created_at DateTime64(3, 'UTC') COMMENT 'When it was first registered',
    updated_at DateTime64(3, 'UTC') COMMENT 'When it was last changed',
    actor String COMMENT 'Who changed it last',
    version UInt64 COMMENT 'Grows with every change'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.namespace_counters
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    ceiling UInt64 COMMENT 'No version above it was ever handed out; the highest row counts'
)
ENGINE = ReplacingMergeTree(ceiling)
ORDER BY (org, namespace)
SETTINGS write_marks_for_substreams_in_compact_parts = 0, ratio_of_defaults_for_sparse_serialization = 1,
    serialization_info_version = 'basic', string_serialization_version = 'single_stream', merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS loom.idempotency
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    idem_hash String COMMENT 'Hex SHA-256 of the caller''s idempotency key',
    payload_hash String COMMENT 'Hex SHA-256 of the request the key was used with',
    write_id String COMMENT 'The write that was answered',
    answer String COMMENT 'The answer in wire form, for writes that wrote no row' CODEC(ZSTD(1)),
    at DateTime64(3, 'UTC') COMMENT 'When it was answered; kept for 24 hours',
    version UInt64 COMMENT 'Nanoseconds of the answer'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, idem_hash)
SETTINGS write_marks_for_substreams_in_compact_parts = 0, ratio_of_defaults_for_sparse_serialization = 1,
    serialization_info_version = 'basic', string_serialization_version = 'single_stream', merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS loom.tokens
(
    token_id String COMMENT 'Public half of the token, shown in listings',
    secret_sha256 String COMMENT 'Hex SHA-256 of the secret half',
    org String COMMENT 'Tenant the token opens',
    namespaces Array(String) COMMENT 'Namespaces the token opens; * means all of the org',
    role LowCardinality(String) COMMENT 'read, write or admin',
    bound_user String COMMENT 'The one user it is bound to; empty when none',
    kind LowCardinality(String) COMMENT 'human or service',
    subject String COMMENT 'Who holds it; the actor is human:<subject> or process:<subject>',
    description String COMMENT 'What it is for',
    created_at DateTime64(3, 'UTC') COMMENT 'When it was minted',
    created_by String COMMENT 'Who minted it',
    expires_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ends; null means never',
    revoked_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was revoked; null while live',
    version UInt64 COMMENT 'Grows with every change'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (token_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
