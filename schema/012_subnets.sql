-- Subnets: which addresses of a network have records; and reverse domains that we made.

-- address, bits: its cidr, with the bits of hosts zero. is_flagged: its source's own
-- dns_publish_fixed_ip; published: whether its addresses have records, by that and by
-- ports.publish. is_fed, revision: as of networks. One that is gone stays for a while.
CREATE TABLE subnets (
  id            CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  network_id    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  address       VARBINARY(16) NOT NULL,
  bits          TINYINT UNSIGNED NOT NULL,
  published     BOOLEAN NOT NULL DEFAULT TRUE,
  is_flagged    BOOLEAN NOT NULL DEFAULT FALSE,
  is_fed        BOOLEAN NOT NULL DEFAULT FALSE,
  revision      BIGINT UNSIGNED NOT NULL DEFAULT 0,
  deleted_at    DATETIME(3) NULL,
  PRIMARY KEY (id),
  KEY subnet_of (network_id),
  KEY subnet_gone (deleted_at),
  FOREIGN KEY (network_id) REFERENCES networks (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- made_id: of the domain, if we made it: once none of its records is ours we may delete it.
-- domain_id: central's, when somebody last looked whether it is still there.
ALTER TABLE port_zones
  ADD COLUMN made_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD COLUMN domain_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD COLUMN checked_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  ADD KEY zone_checked (checked_at);
