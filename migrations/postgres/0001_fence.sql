-- Who may write a namespace and what of its writing is decided. Every commit changes one row of the fence and writes one
-- intent twice, so the rows of the fence keep room on their page: a change then stays on it and touches no index.
CREATE TABLE loom.fence
(
    org text NOT NULL,
    namespace text NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL DEFAULT 0,
    last_version bigint NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT now(),
    holder text NOT NULL DEFAULT '',
    PRIMARY KEY (org, namespace)
)
WITH (fillfactor = 50);

COMMENT ON COLUMN loom.fence.org IS 'Tenant';

COMMENT ON COLUMN loom.fence.namespace IS 'Namespace within the tenant';

COMMENT ON COLUMN loom.fence.epoch IS 'Of the owner of now; each taking has a higher one';

COMMENT ON COLUMN loom.fence.seq IS 'Number of the last commit that was reserved within the epoch; a lower one is used up';

COMMENT ON COLUMN loom.fence.last_version IS 'No version at or below it may be handed out again; nanoseconds';

COMMENT ON COLUMN loom.fence.taken_at IS 'When it was taken, by the clock of Postgres';

COMMENT ON COLUMN loom.fence.holder IS 'Who took it, for people; empty when not said';

-- A look at a namespace's undecided intents reads them alone, however many are decided and not yet pruned.
CREATE TABLE loom.intents
(
    org text NOT NULL,
    namespace text NOT NULL,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'doomed', 'done', 'void')),
    rows jsonb NOT NULL,
    links bigint[] NOT NULL DEFAULT '{}',
    answers text[] NOT NULL DEFAULT '{}',
    top bigint NOT NULL,
    reserved_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    PRIMARY KEY (org, namespace, epoch, seq)
);

CREATE INDEX intents_undecided ON loom.intents (org, namespace, epoch, seq) WHERE state IN ('open', 'doomed');

COMMENT ON COLUMN loom.intents.org IS 'Tenant';

COMMENT ON COLUMN loom.intents.namespace IS 'Namespace within the tenant';

COMMENT ON COLUMN loom.intents.epoch IS 'Of the owner that reserved it';

COMMENT ON COLUMN loom.intents.seq IS 'Number of the commit within the epoch';

COMMENT ON COLUMN loom.intents.state IS 'open, doomed (to be voided in the store), done or void';

COMMENT ON COLUMN loom.intents.rows IS 'List of the rows it writes: writer, key, memory id, version and whether it hides what was derived';

COMMENT ON COLUMN loom.intents.links IS 'Positions of its links of the audit chain that no row makes';

COMMENT ON COLUMN loom.intents.answers IS 'Hashes of the idempotency keys under which it keeps answers that no row carries';

COMMENT ON COLUMN loom.intents.top IS 'Highest version that it hands out';

COMMENT ON COLUMN loom.intents.reserved_at IS 'When it was reserved, by the clock of Postgres';

COMMENT ON COLUMN loom.intents.decided_at IS 'When it was done, doomed or void; null while it is open';
