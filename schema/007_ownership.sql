-- Ownership (seed 001): what others want in zones that they share, and what of it is ours.

-- A storage-id in a zone. rev grows with each change of what is wanted; planned_rev is the one
-- that the last round planned. A plan whose losses are too many is HELD until somebody
-- approves its digest. PARKED: the server takes nothing from us.
CREATE TABLE registries (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  storage_id    VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  zone          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  rev           BIGINT UNSIGNED NOT NULL DEFAULT 0,
  planned_rev   BIGINT UNSIGNED NOT NULL DEFAULT 0,
  rounds        BIGINT UNSIGNED NOT NULL DEFAULT 0,
  due_at        DATETIME(3) NOT NULL,
  state         ENUM('NEW', 'OK', 'HELD', 'PARKED', 'FAILED') NOT NULL DEFAULT 'NEW',
  reason        VARCHAR(512) NOT NULL DEFAULT '',
  failures      INT UNSIGNED NOT NULL DEFAULT 0,
  serial        INT UNSIGNED NOT NULL DEFAULT 0,
  planned_at    DATETIME(3) NULL,
  plan          MEDIUMTEXT NULL,
  held_digest   CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  approved      CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  approved_by   VARCHAR(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY registry_name (storage_id, zone),
  KEY registry_due (due_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Who asks, and whether that is all that they have: of what is in doubt nothing is taken away.
CREATE TABLE endpoint_sources (
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  resource      VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  is_complete   BOOLEAN NOT NULL,
  endpoints     INT UNSIGNED NOT NULL,
  reported_at   DATETIME(3) NOT NULL,
  PRIMARY KEY (registry_id, resource),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What a resource wants at a name, as a record set: each record as its length, of two octets,
-- and its rdata.
CREATE TABLE endpoints (
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  resource      VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  set_id        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ttl           INT UNSIGNED NULL,
  is_shared     BOOLEAN NOT NULL DEFAULT FALSE,
  records       MEDIUMBLOB NOT NULL,
  PRIMARY KEY (registry_id, resource, name, type, set_id),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What we made, as it was last seen on the server (NULL: never yet), and what we intend to make
-- of it, written before the server is asked. Of a storage in a table these rows are the marks.
CREATE TABLE ownership (
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  resource      VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ttl           INT UNSIGNED NOT NULL,
  records       MEDIUMBLOB NULL,
  intended      MEDIUMBLOB NULL,
  updated_at    DATETIME(3) NOT NULL,
  PRIMARY KEY (registry_id, name, type),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What somebody ordered to be done with marks: ADOPT a set of nobody's, RELEASE sets of ours, or
-- GIVE them to another registry of the zone. name NULL: all names; is_below: and those below it.
CREATE TABLE ownership_orders (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  deed          ENUM('ADOPT', 'RELEASE', 'GIVE') NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NULL,
  is_below      BOOLEAN NOT NULL DEFAULT FALSE,
  type          SMALLINT UNSIGNED NOT NULL DEFAULT 0,
  resource      VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NULL,
  expected      MEDIUMBLOB NULL,
  to_id         CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  is_dry        BOOLEAN NOT NULL DEFAULT FALSE,
  state         ENUM('OPEN', 'DONE') NOT NULL DEFAULT 'OPEN',
  result        MEDIUMTEXT NULL,
  ordered_by    VARCHAR(255) NOT NULL,
  ordered_at    DATETIME(3) NOT NULL,
  done_at       DATETIME(3) NULL,
  PRIMARY KEY (id),
  KEY order_open (registry_id, state),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
