-- Digests: what several memories say together, in one text that is searched and never shown. A digest leads to the memories
-- it was made from, each by its key and by the hash of what it said then. The newest row of a digest counts; a row with
-- tombstoned_at ends it.
CREATE TABLE IF NOT EXISTS loom.session_summaries
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    agent String COMMENT 'Agent whose memories it sums up; empty when those of any',
    user_id String COMMENT 'User whose memories it sums up',
    session_id String COMMENT 'Session that it sums up; empty when it is of no one session',
    digest_id String COMMENT 'dig_<uuidv7>, stays when the digest is made anew',
    text String COMMENT 'What the memories say together' CODEC(ZSTD(1)),
    lowered String COMMENT 'The text, case and forms folded' CODEC(ZSTD(1)),
    stems Array(String) COMMENT 'Stemmed words of the text, in order' CODEC(ZSTD(1)),
    lemmas Array(String) COMMENT 'Lemmatised words of the text, in order' CODEC(ZSTD(1)),
    terms Array(UInt64) MATERIALIZED arrayMap(word -> sipHash64(word), arrayConcat(stems, arrayFilter(lemma -> NOT has(stems, lemma), lemmas))) COMMENT 'Hashes of the stems, then of the lemmas that are no stem' CODEC(LZ4),
    embedder_id LowCardinality(String) COMMENT 'Embedder and recipe of the vector; vectors of two embedders are never compared',
    vector_base64 String EPHEMERAL '' COMMENT 'How vector is sent: base64 of its 32-bit floats, lowest byte first',
    vector Array(Float32) DEFAULT reinterpret(base64Decode(vector_base64), 'Array(Float32)') COMMENT 'Unit vector of the text' CODEC(NONE),
    derived_from Array(String) COMMENT 'Keys of the memories it was made from',
    derived_sha256 Array(String) COMMENT 'What each of them said then: its content_sha256, in the same order',
    created_at DateTime64(3, 'UTC') COMMENT 'When it was made',
    tombstoned_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended; null while it leads anywhere',
    version UInt64 COMMENT 'Nanoseconds; the newest row of a digest counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, digest_id)
SETTINGS index_granularity = 256;
