-- What language models took, of all processes together, and the answers that are kept where an operator asked for it. Rows of
-- one sort key are added up: each call adds one.
CREATE TABLE IF NOT EXISTS loom.model_usage
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace whose material was sent, and whose budget it took',
    day Date COMMENT 'Day of UTC on which the call ended',
    purpose LowCardinality(String) COMMENT 'What the model was asked for: ask, extract, digest, consolidate or resolve',
    model LowCardinality(String) COMMENT 'The configured model',
    calls UInt64 COMMENT 'Calls, failed ones included',
    failed UInt64 COMMENT 'Calls without a reply',
    tokens_in UInt64 COMMENT 'Tokens of prompts, as the server counted them, else estimated',
    tokens_out UInt64 COMMENT 'Tokens of replies, as the server counted them, else estimated',
    cost Float64 COMMENT 'What these tokens cost by the prices that were configured then; 0 without'
)
ENGINE = SummingMergeTree((calls, failed, tokens_in, tokens_out, cost))
ORDER BY (org, namespace, day, purpose, model)
SETTINGS index_granularity = 256;

CREATE TABLE IF NOT EXISTS loom.model_answers
(
    org String COMMENT 'Tenant',
    namespace String COMMENT 'Namespace whose material was asked about; its answers are given to it alone',
    prompt_hash String COMMENT 'SHA-256 of model, prompt and form',
    model LowCardinality(String) COMMENT 'The model that answered, as its server names it',
    reply String COMMENT 'What it said',
    truncated Bool COMMENT 'Whether the reply had become as long as it may',
    at DateTime64(3, 'UTC') COMMENT 'When it was said'
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (org, namespace, prompt_hash)
SETTINGS index_granularity = 256;
