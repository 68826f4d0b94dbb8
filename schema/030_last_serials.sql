-- The last serial of a deleted domain. central writes the row when it removes the tombstone of the
-- domain. A new domain of this name begins above this serial, so a server that kept the old zone
-- sees a newer serial.
CREATE TABLE last_serials (
  name       VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  serial     INT UNSIGNED NOT NULL,
  deleted_at DATETIME(3) NOT NULL,
  PRIMARY KEY (name),
  KEY last_serial_age (deleted_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
