-- A share: the tenant may create and change its own record sets at `name`, which is the name of
-- the domain or a name below it, and at all names below `name`.
CREATE TABLE domain_shares (
  id             CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  domain_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  target_tenant  VARBINARY(255) NOT NULL,
  name           VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at     DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY share_of (domain_id, target_tenant, name),
  KEY share_target (target_tenant, domain_id),
  CONSTRAINT share_domain FOREIGN KEY (domain_id) REFERENCES domains (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The tenant that created the record set by a share. '': the record set belongs to the tenant of
-- the domain.
ALTER TABLE recordsets
  ADD COLUMN tenant  VARBINARY(255) NOT NULL DEFAULT '',
  -- The tenant comes first, so that statements about all record sets of a domain never use this key.
  ADD KEY recordset_tenant (tenant, domain_id);
