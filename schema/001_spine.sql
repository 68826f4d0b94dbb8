-- The spine: pools, domains, record sets, records, the journal, and what each
-- name server was seen to have. schema/README.md draws them and names the one
-- writer of each table.
--
-- Identifiers are 32 hexadecimal digits. Times are UTC by the database's clock.
-- Serials are unsigned and wrap; newer means newer by RFC 1982:
--   ((CAST(a AS SIGNED) - CAST(b AS SIGNED)) & 4294967295) BETWEEN 1 AND 2147483647

CREATE TABLE pools (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name         VARCHAR(64) NOT NULL,
  description  VARCHAR(255) NOT NULL DEFAULT '',
  created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY pool_name (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The NS records at the apex of a new domain of the pool.
CREATE TABLE pool_ns_records (
  pool_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  position  SMALLINT UNSIGNED NOT NULL,
  host      VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (pool_id, position),
  CONSTRAINT pool_ns_record_pool FOREIGN KEY (pool_id) REFERENCES pools (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The name servers of a pool, as the pool manager's configuration has them.
CREATE TABLE pool_servers (
  pool_name   VARCHAR(64) NOT NULL,
  id          VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  backend     VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  host        VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  port        SMALLINT UNSIGNED NOT NULL,
  tsig_key    VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NULL,
  updated_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (pool_name, id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE domains (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name         VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The labels from the root down, each behind its length: what is below a name has its prefix.
  ancestry     VARBINARY(255) NOT NULL,
  tenant       VARCHAR(255) NOT NULL,
  pool_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  serial       INT UNSIGNED NOT NULL,
  task         ENUM('ADD', 'UPDATE', 'DELETE', 'NONE') NOT NULL DEFAULT 'ADD',
  status       ENUM('PENDING', 'ACTIVE', 'ERROR', 'DELETED') NOT NULL DEFAULT 'PENDING',
  -- Why it is in ERROR, in words.
  reason       VARCHAR(512) NOT NULL DEFAULT '',
  description  VARCHAR(255) NOT NULL DEFAULT '',
  -- The SOA record; its serial is the domain's.
  mname        VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  rname        VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  soa_ttl      INT UNSIGNED NOT NULL,
  refresh      INT UNSIGNED NOT NULL,
  retry        INT UNSIGNED NOT NULL,
  expire       INT UNSIGNED NOT NULL,
  minimum      INT UNSIGNED NOT NULL,
  -- For record sets without a TTL of their own.
  ttl          INT UNSIGNED NOT NULL,
  -- Live ones, kept by each change, so that quotas cost no count.
  recordset_count INT UNSIGNED NOT NULL DEFAULT 0,
  record_count    INT UNSIGNED NOT NULL DEFAULT 0,
  created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  -- When the change that is still owed was made; the pool manager looks for old ones.
  changed_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  live         TINYINT AS (IF(status = 'DELETED', NULL, 1)) STORED,
  PRIMARY KEY (id),
  UNIQUE KEY domain_name (name, live),
  KEY domain_ancestry (ancestry),
  KEY domain_tenant (tenant, live),
  KEY domain_pool (pool_id, status, changed_at),
  CONSTRAINT domain_pool FOREIGN KEY (pool_id) REFERENCES pools (id),
  CONSTRAINT domain_state CHECK (
    (task IN ('ADD', 'UPDATE', 'DELETE') AND status IN ('PENDING', 'ERROR')) OR
    (task = 'NONE' AND status IN ('ACTIVE', 'DELETED')))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE recordsets (
  id          CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  domain_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name        VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type        SMALLINT UNSIGNED NOT NULL,
  ttl         INT UNSIGNED NULL,
  created_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY recordset_name (domain_id, name, type),
  CONSTRAINT recordset_domain FOREIGN KEY (domain_id) REFERENCES domains (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE records (
  id             CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  recordset_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  domain_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  data           MEDIUMTEXT NOT NULL,
  rdata          MEDIUMBLOB NOT NULL,
  rdata_hash     BINARY(32) AS (UNHEX(SHA2(rdata, 256))) STORED,
  serial_number  INT UNSIGNED NOT NULL,
  task           ENUM('ADD', 'UPDATE', 'DELETE', 'NONE') NOT NULL DEFAULT 'ADD',
  status         ENUM('PENDING', 'ACTIVE', 'ERROR', 'DELETED') NOT NULL DEFAULT 'PENDING',
  updated_at     DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  -- Is it served? A tombstone (task DELETE, or DELETED) is not, and does not bar a new one.
  live           TINYINT AS (IF(task = 'DELETE' OR status = 'DELETED', NULL, 1)) STORED,
  PRIMARY KEY (id),
  UNIQUE KEY record_data (recordset_id, rdata_hash, live),
  KEY record_open (domain_id, status),
  CONSTRAINT record_recordset FOREIGN KEY (recordset_id) REFERENCES recordsets (id),
  CONSTRAINT record_state CHECK (
    (task IN ('ADD', 'UPDATE', 'DELETE') AND status IN ('PENDING', 'ERROR')) OR
    (task = 'NONE' AND status IN ('ACTIVE', 'DELETED')))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- One row a change: what IXFR (RFC 1995) sends for the step to `serial`. removed and added are
-- RRs in wire form, the old and the new SOA first. A change too large for a row leaves a gap.
CREATE TABLE journal (
  domain_id        CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  serial           INT UNSIGNED NOT NULL,
  previous_serial  INT UNSIGNED NOT NULL,
  removed          MEDIUMBLOB NOT NULL,
  added            MEDIUMBLOB NOT NULL,
  created_at       DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (domain_id, serial),
  KEY journal_age (created_at),
  CONSTRAINT journal_domain FOREIGN KEY (domain_id) REFERENCES domains (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- What each server was seen to have, or failed to do (seed 000), and when to try again.
CREATE TABLE pool_manager_status (
  id               CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  server_id        VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  domain_id        CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  action           ENUM('CREATE', 'DELETE', 'UPDATE') NOT NULL,
  status           ENUM('SUCCESS', 'ERROR', 'NO_DOMAIN') NULL,
  -- The serial the server was last seen to serve; NULL: none was ever seen. It only grows.
  serial_number    INT UNSIGNED NULL,
  -- ERROR: the serial that it failed to reach.
  failed_serial    INT UNSIGNED NULL,
  reason           VARCHAR(512) NOT NULL DEFAULT '',
  attempts         INT UNSIGNED NOT NULL DEFAULT 0,
  next_attempt_at  DATETIME(3) NULL,
  created_at       DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at       DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY status_of (domain_id, server_id, action),
  KEY status_due (server_id, next_attempt_at),
  CONSTRAINT status_domain FOREIGN KEY (domain_id) REFERENCES domains (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Whose turn a recurring job of a pool is: one compare-and-swap a round.
CREATE TABLE pool_sync (
  pool_name      VARCHAR(64) NOT NULL,
  job            VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  next_round_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  -- Where a job that goes through all domains by their id ended last time.
  position       CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (pool_name, job)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The answers to writing calls, so that a message that comes twice has one effect; and what
-- the pool manager was to hear of it, in case that central died before it said so.
CREATE TABLE requests (
  unique_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  result      MEDIUMTEXT NULL,
  tell        ENUM('create_domain', 'update_domain', 'delete_domain') NULL,
  domain_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  created_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (unique_id),
  KEY request_age (created_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A zone on its way in: parts are staged here and become one change at the commit.
CREATE TABLE imports (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  tenant       VARCHAR(255) NOT NULL,
  domain_name  VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  state        ENUM('OPEN', 'COMMITTING', 'DONE', 'ERROR') NOT NULL DEFAULT 'OPEN',
  -- The domain as begin_import was given it (JSON), and the caller's rights at that time.
  wish         TEXT NOT NULL,
  parts        INT UNSIGNED NOT NULL DEFAULT 0,
  records      INT UNSIGNED NOT NULL DEFAULT 0,
  -- DONE: the domain's id and serial, and what was done, as apply_changes answers (JSON).
  result       TEXT NULL,
  reason       VARCHAR(512) NOT NULL DEFAULT '',
  created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  KEY import_age (state, updated_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE import_records (
  import_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  part        INT UNSIGNED NOT NULL,
  position    INT UNSIGNED NOT NULL,
  id          CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name        VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type        SMALLINT UNSIGNED NOT NULL,
  ttl         INT UNSIGNED NOT NULL,
  data        MEDIUMTEXT NOT NULL,
  rdata       MEDIUMBLOB NOT NULL,
  rdata_hash  BINARY(32) AS (UNHEX(SHA2(rdata, 256))) STORED,
  PRIMARY KEY (import_id, part, position),
  KEY import_record_set (import_id, name, type, rdata_hash),
  CONSTRAINT import_record_import FOREIGN KEY (import_id) REFERENCES imports (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE tsigkeys (
  id          CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name        VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  algorithm   VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  secret      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at  DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY tsigkey_name (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Names that nobody but an administrator may create: the name itself and all below it.
CREATE TABLE blacklists (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name         VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  description  VARCHAR(255) NOT NULL DEFAULT '',
  created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY blacklist_name (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Limits of a tenant that differ from the configured ones.
CREATE TABLE quotas (
  tenant      VARCHAR(255) NOT NULL,
  resource    ENUM('domains', 'domain_recordsets', 'recordset_records') NOT NULL,
  hard_limit  INT NOT NULL,
  PRIMARY KEY (tenant, resource)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
