-- A request to give a domain to another tenant. A caller that knows the key can accept
-- the request. The table
-- has only the SHA-256 of the key, as 64 hexadecimal digits. A domain has at most one open request
-- (open_domain).
CREATE TABLE domain_transfers (
  id             CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  domain_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  tenant         VARBINARY(255) NOT NULL,
  -- Only this tenant can accept the request. '': each tenant that has the key can accept it.
  target_tenant  VARBINARY(255) NOT NULL DEFAULT '',
  key_hash       CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  description    VARCHAR(255) NOT NULL DEFAULT '',
  state          ENUM('OPEN', 'ACCEPTED', 'WITHDRAWN', 'EXPIRED') NOT NULL DEFAULT 'OPEN',
  -- The tenant that accepted the request, or ''.
  accepted_by    VARBINARY(255) NOT NULL DEFAULT '',
  -- domain_id while the state is OPEN, else NULL.
  open_domain    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  created_at     DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at     DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  expires_at     DATETIME(3) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY transfer_open (open_domain),
  KEY transfer_tenant (tenant, created_at, id),
  KEY transfer_target (target_tenant),
  KEY transfer_accepted (accepted_by),
  KEY transfer_age (expires_at),
  CONSTRAINT transfer_domain FOREIGN KEY (domain_id) REFERENCES domains (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
