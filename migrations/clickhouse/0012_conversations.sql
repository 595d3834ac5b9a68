-- What was said: a row for each turn of a conversation, and the parts of it that are searched. Turns are evidence and never
-- change, so a row has two states alone, there and deleted. The parts are written before their turn and served only with it.
CREATE TABLE IF NOT EXISTS loom.conversation_turns
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    agent String COMMENT 'Agent that took part; empty for none',
    user_id String COMMENT 'User whose conversation it is',
    session_id String COMMENT 'The conversation',
    turn_id String COMMENT 'turn_<32 hex digits> of what the turn says of itself, or turn_<uuidv7>',
    position UInt64 COMMENT 'Nanoseconds that grow in the order in which turns came; 0 when deleted',
    role LowCardinality(String) COMMENT 'user, assistant, system or tool',
    speaker String COMMENT 'Name of who spoke; empty when the role says it all',
    content String COMMENT 'What was said; empty when deleted' CODEC(ZSTD(1)),
    content_sha256 String COMMENT 'SHA-256 of the content; empty when deleted',
    at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was said; null when nobody knows',
    recorded_at DateTime64(3, 'UTC') COMMENT 'When it was stored',
    said_at DateTime64(3, 'UTC') MATERIALIZED ifNull(at, recorded_at) COMMENT 'When it was said, else stored',
    sensitivity LowCardinality(String) COMMENT 'none, medium, or high: then no part of it is indexed',
    actor String COMMENT 'human:<subject> or process:<subject>, from the token',
    run_id String COMMENT 'Run in which it was stored; empty when not said',
    source_resource_id String COMMENT 'The resource that its writer names as its source',
    deleted_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was deleted; null while it is there',
    deleted_by String COMMENT 'Who deleted it; empty while it is there',
    delete_reason String COMMENT 'Why, in the words of whoever did' CODEC(ZSTD(1)),
    version UInt64 COMMENT 'Of two rows of a turn the highest counts: the one that deletes it, else the one with the earlier position',
    INDEX ix_turn turn_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX ix_session session_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (org, namespace, agent, user_id, session_id, turn_id)
SETTINGS index_granularity = 256, fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS loom.conversation_chunks
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace within the tenant',
    agent String COMMENT 'Agent of the turn',
    user_id String COMMENT 'User of the turn',
    session_id String COMMENT 'Session of the turn',
    turn_id String COMMENT 'The turn it is a part of',
    chunk_index UInt32 COMMENT 'Place within the turn, from 0',
    embedder_id LowCardinality(String) COMMENT 'Embedder of the vector; vectors of two embedders are never compared',
    start_at UInt32 COMMENT 'First UTF-16 unit of the part in the content',
    end_at UInt32 COMMENT 'One past its last UTF-16 unit',
    stems Array(String) COMMENT 'Stemmed words of the speaker and the part, in order' CODEC(ZSTD(1)),
    lemmas Array(String) COMMENT 'Lemmatised words of the speaker and the part, in order' CODEC(ZSTD(1)),
    terms Array(UInt64) MATERIALIZED arrayMap(word -> sipHash64(word), arrayConcat(stems, arrayFilter(lemma -> NOT has(stems, lemma), lemmas))) COMMENT 'Hashes of the stems, then of the lemmas that are no stem' CODEC(LZ4),
    vector_base64 String EPHEMERAL '' COMMENT 'How vector is sent: base64 of its 32-bit floats, lowest byte first',
    vector Array(Float32) DEFAULT reinterpret(base64Decode(vector_base64), 'Array(Float32)') COMMENT 'Unit vector of the speaker and the part' CODEC(NONE),
    signs String MATERIALIZED unbin(arrayStringConcat(arrayMap(x -> if(x > 0, '1', '0'), vector))) COMMENT 'A bit for each number of vector, 1 where it is above 0' CODEC(NONE),
    bytes Array(Int8) MATERIALIZED arrayMap(x -> toInt8(round(x * (127 / greatest(arrayMax(y -> abs(y), vector), 1e-30)))), vector) COMMENT 'vector on a scale of its own on which its widest number is 127' CODEC(NONE),
    role LowCardinality(String) COMMENT 'Role of the turn',
    speaker String COMMENT 'Speaker of the turn',
    run_id String COMMENT 'Run of the turn',
    said_at DateTime64(3, 'UTC') COMMENT 'When the turn was said, else stored',
    position UInt64 COMMENT 'Position of the turn',
    INDEX ix_session session_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree
ORDER BY (org, namespace, agent, user_id, session_id, turn_id, chunk_index, embedder_id)
SETTINGS index_granularity = 256;
