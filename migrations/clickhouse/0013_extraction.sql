-- The queue of extractions: one job for each transcript that was given to us, the last version of a job counts. It names
-- turns, keys and codes and holds nothing that was said, but for the name by which the user is told.
CREATE TABLE IF NOT EXISTS loom.extraction_jobs
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace',
    agent String COMMENT 'Writer of the memories that come of it',
    user_id String COMMENT 'Writer of the memories that come of it',
    session_id String COMMENT 'Session of the transcript, and of the memories',
    job_id String COMMENT 'ext_<hash of writer and turns>: the same transcript is the same job',
    run_id String COMMENT 'Run it belongs to; empty when none',
    actor String COMMENT 'human:<subject> or process:<subject>: who gave the transcript',
    bound_user String COMMENT 'The one user whose rows that caller may read; empty when every user''s',
    user_name String COMMENT 'The user''s own name; empty when nobody said it',
    extractor LowCardinality(String) COMMENT 'auto, rules or model, as it was asked for',
    max_tokens UInt32 COMMENT 'Longest reply of a model, in tokens; 0 leaves it to the extractor',
    turn_ids Array(String) COMMENT 'The turns of the transcript, in order',
    told UInt32 COMMENT 'So many of them, the first ones, are there for the sense of the others: another job has them',
    observed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the conversation took place, for turns that do not say it',
    state LowCardinality(String) COMMENT 'queued, running, waiting (tried again at retry_at), done, failed (a person must look) or dropped',
    code LowCardinality(String) COMMENT 'Error code of the last failure; never a value',
    tries UInt32 COMMENT 'Tries that were begun',
    faults UInt32 COMMENT 'Of these, how many failed for the transcript''s own sake',
    retry_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Not to be tried before',
    receipts String COMMENT 'What became of its facts and requests, as JSON of keys, ids and codes; empty until it is done',
    created_at DateTime64(3, 'UTC') COMMENT 'When the transcript came',
    at DateTime64(3, 'UTC') COMMENT 'When this was written',
    epoch UInt64 COMMENT 'Ownership of the queue under which it was written; 0 for everybody else',
    version UInt64 COMMENT 'Nanoseconds; the last word counts',
    -- Whoever drains the queue asks for what was written since it last looked.
    INDEX ix_version version TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, job_id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
