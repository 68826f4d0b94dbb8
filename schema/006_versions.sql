-- The version of each object that more than one keeps (seed 004): of domains. It grows by
-- one with each change, in the transaction of the change, and is swapped only for the one
-- that was read. One that was not changed since this table is there has none yet. An object
-- that is gone keeps its row for a while.

CREATE TABLE object_versions (
  obj_uuid     CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- A number of 20 digits, from 1: a text sorts as it does.
  version_id   CHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  object_type  VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  deleted_at   DATETIME(3) NULL,
  PRIMARY KEY (obj_uuid),
  KEY version_gone (deleted_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
