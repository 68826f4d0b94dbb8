-- The fleet (seed 004): who is there and who does what, who holds what, what was repaired.
-- All times are the database's; the clocks of workers do not matter.

-- One holder of an object at a time. lock says that it is held; created_at, when it was taken
-- or last renewed: ttl_s later it may be taken over. Each taking raises the fence, so that
-- who slept through its time is told from who holds it now.
CREATE TABLE distributed_locks (
  object_uuid  VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `lock`       BOOLEAN NOT NULL DEFAULT FALSE,
  session_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at   DATETIME(6) NOT NULL,
  ttl_s        INT UNSIGNED NOT NULL,
  fence        BIGINT UNSIGNED NOT NULL,
  owner        VARCHAR(128) NOT NULL DEFAULT '',
  PRIMARY KEY (object_uuid),
  KEY lock_session (session_id),
  KEY lock_age (`lock`, created_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A process of the fleet. It writes plugin_time, that it is alive; the master of its service
-- writes all the rest: the shares (hash_factor of total_number) hold in the generation that
-- both their rows name.
CREATE TABLE worker_nodes (
  plugin_name   VARCHAR(128) NOT NULL,
  service       VARCHAR(80) NOT NULL,
  role          ENUM('master', 'normal') NOT NULL DEFAULT 'normal',
  status        ENUM('active', 'down') NOT NULL DEFAULT 'down',
  hash_factor   INT UNSIGNED NULL,
  total_number  INT UNSIGNED NULL,
  plugin_time   DATETIME(6) NOT NULL,
  generation    BIGINT UNSIGNED NOT NULL DEFAULT 0,
  started_at    DATETIME(6) NOT NULL,
  version       VARCHAR(32) NOT NULL DEFAULT '',
  PRIMARY KEY (plugin_name),
  KEY worker_service (service, plugin_name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Each process has its share of the periodic sync now, and a place of its own in it.
DROP TABLE pool_sync;

-- The operator's word on a server, over the configuration: DRAINED is left alone and not
-- counted, until it is ACTIVE again; REMOVED is forgotten, too, and gets no zones any more.
ALTER TABLE pool_servers
  ADD COLUMN state ENUM('ACTIVE', 'DRAINED', 'REMOVED') NOT NULL DEFAULT 'ACTIVE';

-- What a server was seen to have otherwise than it should, though nothing is owed to it. Seen
-- twice it is believed, and put right; too often in an hour, and it is left to a person.
CREATE TABLE repairs (
  object_uuid   VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  server_id     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  kind          ENUM('CONTENT', 'STRAY') NOT NULL,
  state         ENUM('SEEN', 'CONFIRMED', 'PARKED') NOT NULL DEFAULT 'SEEN',
  pool_name     VARCHAR(64) NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  serial        INT UNSIGNED NOT NULL,
  detail        VARCHAR(512) NOT NULL DEFAULT '',
  pass1_at      DATETIME(3) NOT NULL,
  pass2_at      DATETIME(3) NULL,
  updated_at    DATETIME(3) NOT NULL,
  PRIMARY KEY (object_uuid, server_id, kind),
  KEY repair_state (state, updated_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What was done about it: a row each.
CREATE TABLE repair_log (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  object_uuid  VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  server_id    VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  kind         ENUM('CONTENT', 'STRAY') NOT NULL,
  pool_name    VARCHAR(64) NOT NULL,
  name         VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  serial       INT UNSIGNED NOT NULL,
  action       ENUM('TRANSFER', 'DELETE') NOT NULL,
  outcome      ENUM('DONE', 'FAILED', 'PARKED') NOT NULL,
  detail       VARCHAR(512) NOT NULL DEFAULT '',
  pass1_at     DATETIME(3) NOT NULL,
  pass2_at     DATETIME(3) NOT NULL,
  done_at      DATETIME(3) NOT NULL,
  worker       VARCHAR(128) NOT NULL,
  fence        BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  KEY repair_of (object_uuid, server_id, kind, done_at),
  KEY repair_age (done_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
