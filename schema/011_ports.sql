-- Ports (seed 002): what is attached to networks, under which names and addresses.

-- domain '': its ports have no names. is_default: it has none of its own, and the one of all
-- who have none, which is nobody's project's. is_fed: Neutron's. revision: the source's own number of what it said last.
-- One that is gone stays as long as its ports do.
CREATE TABLE networks (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  domain        VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  is_default    BOOLEAN NOT NULL DEFAULT FALSE,
  is_fed        BOOLEAN NOT NULL DEFAULT FALSE,
  revision      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  deleted_at    DATETIME(3) NULL,
  PRIMARY KEY (id),
  KEY network_gone (deleted_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- dns_name: as it was given; dns_fqdn: in dns_domain, which is the port's own, or else in the
-- network's domain: one port has it. A floating IP is a port of the network that it is from. A port
-- that is gone stays for a while, so that no older message brings it back.
CREATE TABLE ports (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  network_id    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  dns_name      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
  dns_fqdn      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
  dns_domain    VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL,
  mac           VARCHAR(17) CHARACTER SET ascii COLLATE ascii_bin NULL,
  revision      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  is_fed        BOOLEAN NOT NULL DEFAULT FALSE,
  is_floating   BOOLEAN NOT NULL DEFAULT FALSE,
  deleted_at    DATETIME(3) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY port_name (network_id, dns_fqdn),
  KEY port_called (network_id, dns_name),
  KEY port_gone (deleted_at),
  FOREIGN KEY (network_id) REFERENCES networks (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE port_addresses (
  port_id       CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  address       VARBINARY(16) NOT NULL,
  PRIMARY KEY (port_id, address),
  FOREIGN KEY (port_id) REFERENCES ports (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Neutron, as the exchange of its notifications: when it is next compared with what is known
-- of it, how many of that have ended, and how the last one went.
CREATE TABLE port_comparisons (
  feed          VARCHAR(255) NOT NULL,
  due_at        DATETIME(3) NOT NULL,
  ended         INT UNSIGNED NOT NULL DEFAULT 0,
  looked_at     INT UNSIGNED NOT NULL DEFAULT 0,
  differing     INT UNSIGNED NOT NULL DEFAULT 0,
  repaired      INT UNSIGNED NOT NULL DEFAULT 0,
  reason        VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (feed)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A domain of central's as a project writes to it; '' is nobody, and its domains are reverse
-- ones. rev grows with each change; due_at NULL: all of it is published.
CREATE TABLE port_zones (
  zone          VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  rev           BIGINT UNSIGNED NOT NULL DEFAULT 0,
  due_at        DATETIME(3) NULL,
  failures      INT UNSIGNED NOT NULL DEFAULT 0,
  reason        VARCHAR(512) NOT NULL DEFAULT '',
  PRIMARY KEY (zone, project_id),
  KEY zone_due (due_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The records that a port has or had there, and what is to be done: ADD and DROP are not known
-- to be done yet, HAVE was, REFUSED was not taken, for a reason. seq grows with each change of mind.
CREATE TABLE port_records (
  port_id       CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  zone          VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  data          VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  state         ENUM('ADD', 'HAVE', 'DROP', 'REFUSED', 'GONE') NOT NULL,
  seq           BIGINT UNSIGNED NOT NULL DEFAULT 0,
  reason        VARCHAR(255) NOT NULL DEFAULT '',
  PRIMARY KEY (port_id, zone, name, type, data),
  KEY record_state (state, zone),
  KEY record_next (zone, project_id, state, name, type, data),
  KEY record_same (zone, name, type),
  FOREIGN KEY (port_id) REFERENCES ports (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
