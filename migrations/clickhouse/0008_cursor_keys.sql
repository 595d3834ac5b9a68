-- Keys by which a server knows the cursors it gave. Every process of an installation reads the same; a cursor names its key.
CREATE TABLE IF NOT EXISTS loom.cursor_keys
(
    key_id String COMMENT 'Named by every cursor that was signed with it',
    secret String COMMENT '64 hex digits: 32 random bytes',
    created_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'The earliest key signs new cursors; each opens those that name it'
)
ENGINE = ReplacingMergeTree
ORDER BY (key_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
