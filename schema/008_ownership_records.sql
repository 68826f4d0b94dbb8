-- The zone as a registry saw it last, and whose each record set is in its eyes: the document
-- that seed 001 calls <storage-id>-storage. owner '' is nobody; of several, with commas.
CREATE TABLE ownership_records (
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  owner         VARCHAR(1100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  resource      VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ttl           INT UNSIGNED NOT NULL,
  records       MEDIUMBLOB NOT NULL,
  PRIMARY KEY (registry_id, name, type),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- made: how many rows of ownership a storage in a table has; with fewer some were lost.
-- read_serial, read_at: of the zone that ownership_records has.
ALTER TABLE registries
  ADD COLUMN made BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN read_serial INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN read_at DATETIME(3) NULL;
