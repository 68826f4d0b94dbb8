-- Routes (seed 003): routers, what is routed by them, and which of them routes what.

-- A router is a shard: dns is its domain, where a wildcard has the addresses of all its
-- instances that are up. rev grows with each change of what the domain should have, done_rev is
-- the one that central was told of, under serial. zone: what its domain was to begin with.
-- made_id: the domain's, if it was not there before; done_rev 0: it is still to be begun.
CREATE TABLE routers (
  name          VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  description   VARCHAR(255) NOT NULL DEFAULT '',
  dns           VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  label         VARCHAR(255) NOT NULL DEFAULT '',
  capacity      INT UNSIGNED NULL,
  ttl           INT UNSIGNED NOT NULL,
  state         ENUM('active', 'draining', 'going') NOT NULL DEFAULT 'active',
  zone          TEXT NOT NULL,
  made_id       CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  bound         INT UNSIGNED NOT NULL DEFAULT 0,
  rev           BIGINT UNSIGNED NOT NULL DEFAULT 1,
  done_rev      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  serial        INT UNSIGNED NULL,
  zone_status   ENUM('PENDING', 'ACTIVE', 'ERROR') NOT NULL DEFAULT 'PENDING',
  reason        VARCHAR(512) NOT NULL DEFAULT '',
  failures      INT UNSIGNED NOT NULL DEFAULT 0,
  due_at        DATETIME(3) NULL,
  created_at    DATETIME(3) NOT NULL,
  PRIMARY KEY (name),
  UNIQUE KEY router_dns (dns),
  KEY router_state (state),
  KEY router_due (due_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- is_up: the operator's word. seen_at: when its agent last said that it lives; NULL: none says
-- so, and the operator's word is all. is_shown: it is among what the domain should have.
CREATE TABLE router_addresses (
  router        VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  address       VARBINARY(16) NOT NULL,
  is_up         BOOLEAN NOT NULL DEFAULT TRUE,
  seen_at       DATETIME(3) NULL,
  is_shown      BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (router, address),
  FOREIGN KEY (router) REFERENCES routers (name) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- phase and dns follow from its binding alone. is_waiting: another route has its host, since
-- waits_since; who waits longest has it next. parent: the host without its first label.
CREATE TABLE routes (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  namespace     VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  host          VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
  parent        VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
  labels        TEXT NOT NULL,
  backend       VARCHAR(255) NOT NULL,
  phase         ENUM('new', 'scheduled') NOT NULL DEFAULT 'new',
  dns           VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
  is_waiting    BOOLEAN NOT NULL DEFAULT FALSE,
  waits_since   DATETIME(6) NULL,
  last_error    VARCHAR(512) NOT NULL DEFAULT '',
  attempts      INT UNSIGNED NOT NULL DEFAULT 0,
  retry_at      DATETIME(3) NOT NULL,
  created_at    DATETIME(6) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY route_name (namespace, name),
  KEY route_due (phase, is_waiting, retry_at),
  KEY route_waits (is_waiting, host, waits_since, id),
  KEY route_waits_below (is_waiting, parent, waits_since, id),
  CHECK ((phase = 'scheduled') = (dns IS NOT NULL))
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A namespace is the project's that made its first route, until the last one goes. Who makes
-- or deletes one of its routes writes its row first.
CREATE TABLE route_namespaces (
  namespace     VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  touched       BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Whose a name is, before it is anything in DNS: a host that a route was given, or a generated
-- one. Who takes or frees one below a parent writes the parent's row first. The root, '', is
-- written by whoever makes a router, and read and locked by whoever gives a route a host: one
-- may not be in the other's domain.
CREATE TABLE host_parents (
  parent        VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  touched       BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (parent)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO host_parents (parent) VALUES ('');

CREATE TABLE host_claims (
  host          VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  parent        VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  route_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  project_id    VARCHAR(255) NOT NULL,
  claimed_at    DATETIME(3) NOT NULL,
  PRIMARY KEY (host),
  KEY claim_below (parent, project_id),
  KEY claim_route (route_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Which router has a route. Its key decides who of several binds it.
CREATE TABLE route_bindings (
  route_namespace VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  route_name    VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  route_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  router        VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  dns           VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  generation    BIGINT UNSIGNED NOT NULL DEFAULT 1,
  created_at    DATETIME(3) NOT NULL,
  PRIMARY KEY (route_namespace, route_name),
  UNIQUE KEY binding_route (route_id),
  KEY binding_router (router, route_id),
  FOREIGN KEY (router) REFERENCES routers (name),
  FOREIGN KEY (route_id) REFERENCES routes (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- A name that a route had at a router before: it is served there until ends_at, and has a CNAME
-- to what the route is called now (target NULL: a host of its owner's, of which we have no
-- record). ADD and DROP are not known to be done yet; ADD not before begins_at, when the instances
-- of the other router have it.
CREATE TABLE route_moves (
  route_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  router        VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  dns           VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  target        VARCHAR(253) CHARACTER SET ascii COLLATE ascii_bin NULL,
  state         ENUM('ADD', 'HAVE', 'DROP') NOT NULL,
  seq           BIGINT UNSIGNED NOT NULL DEFAULT 0,
  ends_at       DATETIME(3) NOT NULL,
  begins_at     DATETIME(3) NOT NULL,
  PRIMARY KEY (route_id, router, dns),
  KEY move_router (router, state, begins_at),
  KEY move_ends (state, ends_at),
  FOREIGN KEY (router) REFERENCES routers (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Where a strategy stands in a group of routers; its row is the lock of those who bind.
CREATE TABLE scheduler_state (
  strategy      VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  label         VARCHAR(255) NOT NULL DEFAULT '',
  position      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (strategy, label)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
