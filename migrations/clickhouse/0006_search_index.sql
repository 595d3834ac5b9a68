-- Small forms of the vectors, for searches to scan in their place: the signs of the numbers choose a few hundred rows, an
-- eighth of a bit-by-bit comparison's cost each, and 8-bit numbers put those into order. Both follow from the vectors, so
-- rows written before have them too: worked out as they are read until the engine has stored them.
ALTER TABLE loom.memory_embeddings
    ADD COLUMN IF NOT EXISTS value_signs String MATERIALIZED unbin(arrayStringConcat(arrayMap(x -> if(x > 0, '1', '0'), value_vector))) COMMENT 'A bit for each number of value_vector, 1 where it is above 0' CODEC(NONE) AFTER key_vector,
    ADD COLUMN IF NOT EXISTS key_signs String MATERIALIZED unbin(arrayStringConcat(arrayMap(x -> if(x > 0, '1', '0'), key_vector))) COMMENT 'The same of key_vector' CODEC(NONE) AFTER value_signs,
    ADD COLUMN IF NOT EXISTS value_bytes Array(Int8) MATERIALIZED arrayMap(x -> toInt8(round(x * (127 / greatest(arrayMax(y -> abs(y), value_vector), 1e-30)))), value_vector) COMMENT 'value_vector on a scale of its own on which its widest number is 127' CODEC(NONE) AFTER key_signs,
    ADD COLUMN IF NOT EXISTS key_bytes Array(Int8) MATERIALIZED arrayMap(x -> toInt8(round(x * (127 / greatest(arrayMax(y -> abs(y), key_vector), 1e-30)))), key_vector) COMMENT 'The same of key_vector' CODEC(NONE) AFTER value_bytes;

ALTER TABLE loom.memory_embeddings
    MATERIALIZE COLUMN value_signs, MATERIALIZE COLUMN key_signs, MATERIALIZE COLUMN value_bytes, MATERIALIZE COLUMN key_bytes;
