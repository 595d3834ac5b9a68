-- What background workers keep: how far each has read the feed of changes of each namespace, whether it may, how it fares,
-- and which changes it gave up on. Positions are versions of the feed. A worker has one owner at a time, each with a higher
-- epoch; of two cursors the one of the higher epoch counts, so that an owner of before moves nothing, however late it
-- writes, and within an epoch the one that is further.
CREATE TABLE IF NOT EXISTS loom.worker_cursors
(
    worker LowCardinality(String) COMMENT 'Name of the worker',
    org String COMMENT 'Tenant; - for a worker that reads no feed',
    namespace String COMMENT 'Namespace; - for a worker that reads no feed',
    epoch UInt64 COMMENT 'Ownership of the worker under which it was written; 0 in single-process mode',
    position UInt64 COMMENT 'Everything up to this version was handled; nanoseconds of the last run of a worker that reads no feed',
    failures UInt32 COMMENT 'How often what comes next failed in a row; 0 when nothing did',
    code LowCardinality(String) COMMENT 'Error code of the last of these failures; empty when there was none',
    at DateTime64(3, 'UTC') COMMENT 'When it was written'
)
ENGINE = ReplacingMergeTree(position)
ORDER BY (worker, org, namespace, epoch)
SETTINGS index_granularity = 256;

CREATE TABLE IF NOT EXISTS loom.worker_pauses
(
    worker LowCardinality(String) COMMENT 'Name of the worker',
    org String COMMENT 'Tenant it is paused for; empty for all',
    namespace String COMMENT 'Namespace it is paused for; empty for all of the org',
    paused Bool COMMENT 'Whether it is',
    actor String COMMENT 'Who said so',
    at DateTime64(3, 'UTC') COMMENT 'When',
    version UInt64 COMMENT 'Nanoseconds; the last word counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (worker, org, namespace)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.worker_status
(
    worker LowCardinality(String) COMMENT 'Name of the worker',
    state LowCardinality(String) COMMENT 'running, or failed while it waits to start again',
    code LowCardinality(String) COMMENT 'Error code of the failure; empty when there is none',
    epoch UInt64 COMMENT 'Ownership of the worker; 0 in single-process mode',
    at DateTime64(3, 'UTC') COMMENT 'When it last gave a sign of life'
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (worker)
SETTINGS index_granularity = 256;

CREATE TABLE IF NOT EXISTS loom.worker_dead_letters
(
    worker LowCardinality(String) COMMENT 'Name of the worker',
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace',
    position UInt64 COMMENT 'Version of the change that could not be handled',
    memory_id String COMMENT 'The row that changed',
    change LowCardinality(String) COMMENT 'What happened to it, as in the feed',
    code LowCardinality(String) COMMENT 'Error code of the last try; never a value',
    tries UInt32 COMMENT 'How often it was tried',
    first_at DateTime64(3, 'UTC') COMMENT 'When it was given up on first',
    at DateTime64(3, 'UTC') COMMENT 'When this was written',
    state LowCardinality(String) COMMENT 'open, retry (somebody asked for another try), done or dropped',
    actor String COMMENT 'Who asked for the retry or dropped it; empty for the worker itself',
    version UInt64 COMMENT 'Nanoseconds; the last word counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (worker, org, namespace, position)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

-- What each embedder's similarities were measured at, so that every process judges by the same numbers.
CREATE TABLE IF NOT EXISTS loom.calibrations
(
    embedder_id String COMMENT 'Embedder and recipe that was measured',
    conflict Float64 COMMENT 'Cosine from which a stored memory is a peer of a write',
    duplicate Float64 COMMENT 'Cosine from which a memory that says the same is a duplicate',
    sentences UInt32 COMMENT 'Sentences embedded',
    near_low Float64 COMMENT '5th percentile of the near pairs',
    near_median Float64 COMMENT 'Median of the near pairs',
    reworded_low Float64 COMMENT '5th percentile of the rewordings',
    topic_median Float64 COMMENT 'Median of the pairs of one topic',
    far_high Float64 COMMENT '95th percentile of pairs that have nothing to do with each other',
    measured_at DateTime64(3, 'UTC') COMMENT 'When',
    measured_by LowCardinality(String) COMMENT 'start (a process that found none) or calibration (the worker)'
)
ENGINE = ReplacingMergeTree(measured_at)
ORDER BY (embedder_id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
