-- Runs of agents, what each of them says of the memories that it relied on, and what comes of that for each memory. A use is
-- one row for each memory, caller, UTC day, kind of report and run; what is reported again takes the place of what was said.
-- Usage is folded from the uses and can be folded again at any time.
CREATE TABLE IF NOT EXISTS loom.runs
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace',
    run_id String COMMENT 'Id, run_…',
    agent String COMMENT 'Who runs; empty for nobody in particular',
    user_id String COMMENT 'For whom; - for nobody in particular',
    session_id String COMMENT 'In which session; empty for none',
    status LowCardinality(String) COMMENT 'running, completed, failed or cancelled',
    goal String COMMENT 'What it is to reach',
    user_request String COMMENT 'What the user said; empty for nothing',
    expected_outcome String COMMENT 'By what success is told; empty when it was not said',
    environment String COMMENT 'Where it runs; empty when it was not said',
    model String COMMENT 'Which model works; empty when it was not said',
    consumer String COMMENT 'Which program runs it; empty when it was not said',
    role String COMMENT 'In which role; empty when it was not said',
    metadata String COMMENT 'JSON object that came with the beginning',
    budget_usd Nullable(Float64) COMMENT 'What it may cost',
    budget_seconds Nullable(Float64) COMMENT 'How long it may take',
    begun_at DateTime64(3, 'UTC') COMMENT 'When it began',
    begun_by String COMMENT 'Actor that began it',
    begun_sha256 String COMMENT 'Hash of what the beginning stated',
    outcome LowCardinality(String) COMMENT 'success, failure, partial or unknown; empty while it runs',
    weight Float64 COMMENT 'How much its outcome counts, 0 to 1',
    final_response String COMMENT 'What it answered; empty for nothing, or when it was not to be kept',
    confidence Nullable(Float64) COMMENT 'How sure it is of its answer, 0 to 1',
    duration_ms Nullable(Float64) COMMENT 'How long it took by its own clock',
    completion String COMMENT 'JSON object that came with the end',
    memories_used Array(String) COMMENT 'Ids of the memories it relied on',
    unknown_used Array(String) COMMENT 'Names it gave for memories that were not found',
    recalled_keys Array(String) COMMENT 'Keys that it was given, used or not',
    reflection_id String COMMENT 'Id of the memory that holds its lesson; empty for none',
    retain LowCardinality(String) COMMENT 'full, or outcome when its texts were not to be kept; empty while it runs',
    completed_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended',
    completed_by String COMMENT 'Actor that ended it; empty while it runs',
    completed_sha256 String COMMENT 'Hash of what its end stated; empty while it runs',
    version UInt64 COMMENT 'Nanoseconds of the beginning, then of the end'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, run_id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.memory_uses
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace',
    memory_id String COMMENT 'The memory that was relied on',
    owner_id String COMMENT 'User whose memory it is',
    caller String COMMENT 'Actor that reported it, from the token',
    day Date COMMENT 'UTC day of the report: a caller has one vote a day on a memory',
    source LowCardinality(String) COMMENT 'run (run.complete) or outcome (memory.outcome)',
    run_id String COMMENT 'The run it served in; empty for none',
    user_id String COMMENT 'User for whom it was relied on',
    outcome LowCardinality(String) COMMENT 'success, failure, partial or unknown',
    credit Float64 COMMENT '0 to 1',
    harm Float64 COMMENT '0 to 1',
    note String COMMENT 'What the caller said about it; empty for nothing',
    at DateTime64(3, 'UTC') COMMENT 'When it was reported',
    recorded_at DateTime64(3, 'UTC') COMMENT 'When the row was written; a report that broke off is written later',
    version UInt64 COMMENT 'Nanoseconds of recorded_at; the last word counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, memory_id, caller, day, source, run_id)
TTL day + INTERVAL 400 DAY DELETE
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.memory_usage
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace',
    memory_id String COMMENT 'The memory',
    user_id String COMMENT 'User whose memory it is',
    credit Float64 COMMENT 'Votes for it, decayed to last_at',
    harm Float64 COMMENT 'Votes against it, decayed to last_at',
    last_at DateTime64(3, 'UTC') COMMENT 'When it was last relied on',
    used_count UInt32 COMMENT 'Reports of the last 400 days that name it',
    harm_count UInt32 COMMENT 'Those among them that speak against it',
    version UInt64 COMMENT 'Nanoseconds of the folding; the last one counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, memory_id)
SETTINGS index_granularity = 256;
