-- Patterns that no stored value may match, the version by which processes learn of a change, and who runs which version.
CREATE TABLE IF NOT EXISTS loom.blacklist
(
    org String COMMENT 'Tenant it holds for; empty means every one',
    namespace String COMMENT 'Namespace it holds in; empty means every one of the tenant',
    pattern_id String COMMENT 'blk_<uuidv7>',
    scope LowCardinality(String) COMMENT 'namespace, org or global',
    pattern String COMMENT 'What no value may match' CODEC(ZSTD(1)),
    pattern_type LowCardinality(String) COMMENT 'substring (of the folded text) or regex (RE2)',
    reason String COMMENT 'Why, told to whoever is refused' CODEC(ZSTD(1)),
    created_at DateTime64(3, 'UTC') COMMENT 'When it was added',
    created_by String COMMENT 'Who added it',
    removed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended; null while in force',
    removed_by String COMMENT 'Who ended it',
    idem_hash String COMMENT 'Hex SHA-256 of the caller and idempotency key it was added with; empty without one',
    request_hash String COMMENT 'Hex SHA-256 of the request it was added with',
    answer String COMMENT 'What that request was answered, as JSON; empty until it was' CODEC(ZSTD(1)),
    version UInt64 COMMENT 'Grows with every change'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, pattern_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.blacklist_version
(
    name LowCardinality(String) COMMENT 'Always patterns: the table has one row',
    version UInt64 COMMENT 'Raised after every change of a pattern; the highest counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (name)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.blacklist_confirmations
(
    process_id String COMMENT 'A process that judges writes, as long as it lives',
    version UInt64 COMMENT 'The blacklist version that it runs',
    gone Bool COMMENT 'Whether it ended or rests; it asks again before it judges another write',
    at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it last said so, by the clock of the store'
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (process_id)
TTL toDateTime(at) + INTERVAL 1 HOUR;
