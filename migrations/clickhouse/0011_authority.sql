-- Which store says what is so: this one, or Postgres, of which this one is then a copy. Without a row it is this one. It
-- stands here since every process has this store, whichever it trusts.
CREATE TABLE IF NOT EXISTS loom.authority
(
    part LowCardinality(String) COMMENT 'What it is about: memory',
    authority LowCardinality(String) COMMENT 'clickhouse or postgres',
    decided_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'The latest counts'
)
ENGINE = ReplacingMergeTree(decided_at)
ORDER BY (part)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
