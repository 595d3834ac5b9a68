-- What a memory rests on: one row for each source of one content of one memory. Written before the memory it supports, so
-- that a row without one is only unread; it is found again by the identity and content it supports.
CREATE TABLE IF NOT EXISTS loom.memory_belief_sources
(
    org String COMMENT 'Tenant of the memory that is supported',
    namespace String COMMENT 'Its namespace',
    agent String COMMENT 'Identity of the memory that is supported',
    user_id String COMMENT 'Identity of the memory that is supported',
    session_id String COMMENT 'Identity of the memory that is supported',
    memory_key String COMMENT 'Identity of the memory that is supported',
    content_sha256 String COMMENT 'The content of it that the source supports',
    source_org String COMMENT 'Tenant of the source',
    source_namespace String COMMENT 'Namespace of the source',
    source_agent String COMMENT 'Identity of the source',
    source_user_id String COMMENT 'Identity of the source',
    source_session_id String COMMENT 'Identity of the source',
    source_memory_key String COMMENT 'Identity of the source',
    source_memory_id String COMMENT 'The source''s id',
    source_content_sha256 String COMMENT 'The content that the source had',
    support_type LowCardinality(String) COMMENT 'derived_from or promoted_from',
    lineage_id String COMMENT 'lin_<hash>: the same for the same content from the same source',
    rationale String COMMENT 'Why, in the words of whoever did it',
    approver String COMMENT 'Who agreed; empty when nobody was named',
    promoted_from_candidate_id String COMMENT 'The candidate it was chosen from; empty when none',
    reversible_until Nullable(DateTime64(3, 'UTC')) COMMENT 'Until when whoever promoted it meant to be able to take it back; null when not said',
    actor String COMMENT 'human:<subject> or process:<subject>, from the token',
    at DateTime64(3, 'UTC') COMMENT 'When the source was recorded',
    write_id String COMMENT 'The write that recorded it',
    version UInt64 COMMENT 'Nanoseconds; the newest row of a source counts',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner; 0 in single-process mode',
    seq UInt64 COMMENT 'Commit sequence within the epoch',
    INDEX ix_source source_memory_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, memory_key, content_sha256, source_namespace, source_memory_id, support_type)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;
