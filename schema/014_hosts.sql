-- How often the hosts have changed of which agents keep a copy: of a network (for dnsmasq), of a
-- router (for its instances). Raised by who changes them, in the same transaction; who keeps
-- them finds by it what it was not told. A router's stays when it is gone: its name may return.

CREATE TABLE network_hosts (
  network_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version      BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (network_id),
  FOREIGN KEY (network_id) REFERENCES networks (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE router_hosts (
  router       VARCHAR(63) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version      BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (router)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- Whoever gives a route a host writes one of them, who makes a router all: neither may be in the
-- other's domain. In the place of the root of host_parents, which was locked for reading:
-- between the nodes of a cluster only what is written is seen.
CREATE TABLE host_gates (
  gate         TINYINT UNSIGNED NOT NULL,
  touched      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  PRIMARY KEY (gate)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO host_gates (gate) VALUES (0), (1), (2), (3), (4), (5), (6), (7);

DELETE FROM host_parents WHERE parent = '';

-- How many routes a project has is counted whenever it asks for one more.
ALTER TABLE routes ADD KEY route_project (project_id);

-- Which domain it was, of central, when it was last told of it: another one of its name has
-- nothing of what was there.
ALTER TABLE routers ADD COLUMN domain_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL;

-- Who asks for a port by its full name.
ALTER TABLE ports ADD KEY port_fqdn (dns_fqdn);
