-- Rows derived from a memory's content, inserted before the commit and keyed by its hash: a leg joins the served head's
-- hash, so what was never committed is never found. They are not synced: an activation
-- derives again whatever head has no vector. They are scanned, not read by key, so they may lie in more parts, and a merge
-- takes twenty.
CREATE TABLE IF NOT EXISTS loom.memory_embeddings
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    agent String COMMENT 'Identity of the memory',
    user_id String COMMENT 'Identity of the memory',
    session_id String COMMENT 'Identity of the memory',
    memory_key String COMMENT 'Identity of the memory',
    content_sha256 String COMMENT 'Content the row was derived from',
    embedder_id LowCardinality(String) COMMENT 'Embedder and recipe; vectors of two embedders are never compared',
    memory_type LowCardinality(String) COMMENT 'Type at the time of writing',
    value_base64 String EPHEMERAL '' COMMENT 'How value_vector is sent: base64 of its 32-bit floats, lowest byte first',
    value_vector Array(Float32) DEFAULT reinterpret(base64Decode(value_base64), 'Array(Float32)') COMMENT 'Unit vector of the excerpt' CODEC(NONE),
    key_base64 String EPHEMERAL '' COMMENT 'How key_vector is sent',
    key_vector Array(Float32) DEFAULT reinterpret(base64Decode(key_base64), 'Array(Float32)') COMMENT 'Unit vector of the key''s words' CODEC(NONE),
    excerpt String COMMENT 'At most 1,200 characters of the value' CODEC(ZSTD(1)),
    lowered String COMMENT 'The excerpt, case and forms folded' CODEC(ZSTD(1)),
    stems Array(String) COMMENT 'Stemmed words of the excerpt, in order' CODEC(ZSTD(1)),
    lemmas Array(String) COMMENT 'Lemmatised words of the excerpt, in order' CODEC(ZSTD(1)),
    terms Array(UInt64) MATERIALIZED arrayMap(word -> sipHash64(word), arrayConcat(stems, arrayFilter(lemma -> NOT has(stems, lemma), lemmas))) COMMENT 'Hashes of the stems, then of the lemmas that are no stem: what a search scans, at a third of the cost of the words' CODEC(LZ4),
    source_class LowCardinality(String) COMMENT 'Copy of the memory''s source_class for ranking',
    verified Bool COMMENT 'Whether the content is attested',
    version UInt64 COMMENT 'Version of the write that derived the row',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner',
    seq UInt64 COMMENT 'Commit sequence within the epoch'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, memory_key, content_sha256, embedder_id)
SETTINGS index_granularity = 256, write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS loom.memory_chunks
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    agent String COMMENT 'Identity of the memory',
    user_id String COMMENT 'Identity of the memory',
    session_id String COMMENT 'Identity of the memory',
    memory_key String COMMENT 'Identity of the memory',
    content_sha256 String COMMENT 'Content the chunk is cut from',
    embedder_id LowCardinality(String) COMMENT 'Embedder of the vector; empty when the chunk has none yet',
    chunk_index UInt32 COMMENT 'Place within the value, from 0',
    start_at UInt32 COMMENT 'First UTF-16 unit of the passage in the value text',
    end_at UInt32 COMMENT 'One past its last UTF-16 unit',
    text String COMMENT 'The passage, verbatim' CODEC(ZSTD(1)),
    stems Array(String) COMMENT 'Stemmed words of the passage, in order' CODEC(ZSTD(1)),
    lemmas Array(String) COMMENT 'Lemmatised words of the passage, in order' CODEC(ZSTD(1)),
    terms Array(UInt64) MATERIALIZED arrayMap(word -> sipHash64(word), arrayConcat(stems, arrayFilter(lemma -> NOT has(stems, lemma), lemmas))) COMMENT 'Hashes of the stems, then of the lemmas that are no stem: what a search scans, at a third of the cost of the words' CODEC(LZ4),
    vector Array(Float32) COMMENT 'Unit vector of the passage; empty until derived' CODEC(NONE),
    version UInt64 COMMENT 'Version of the write that derived the row',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner',
    seq UInt64 COMMENT 'Commit sequence within the epoch'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, memory_key, content_sha256, embedder_id, chunk_index)
SETTINGS index_granularity = 256, write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 20;

CREATE TABLE IF NOT EXISTS loom.memory_entities
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    entity String COMMENT 'Named thing in canonical form',
    agent String COMMENT 'Identity of the memory that names it',
    user_id String COMMENT 'Identity of the memory that names it',
    session_id String COMMENT 'Identity of the memory that names it',
    memory_key String COMMENT 'Identity of the memory that names it',
    version UInt64 COMMENT 'Version of the write that projected it',
    epoch UInt64 COMMENT 'Fence epoch of the writing owner',
    seq UInt64 COMMENT 'Commit sequence within the epoch'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, entity, agent, user_id, session_id, memory_key)
SETTINGS index_granularity = 256, write_marks_for_substreams_in_compact_parts = 0,
    ratio_of_defaults_for_sparse_serialization = 1, serialization_info_version = 'basic',
    string_serialization_version = 'single_stream', merge_selector_base = 20;
