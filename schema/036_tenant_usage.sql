-- What a tenant uses of its quotas. central changes the number of domains in the transaction that
-- creates or deletes a domain, so calls at the same time cannot exceed the quota. Programs of
-- older versions do not change this number: central corrects it.
CREATE TABLE tenant_usage (
  tenant   VARBINARY(255) NOT NULL,
  domains  INT NOT NULL,
  PRIMARY KEY (tenant)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
INSERT INTO tenant_usage (tenant, domains)
  SELECT tenant, COUNT(*) FROM domains WHERE live = 1 GROUP BY tenant;
ALTER TABLE quotas MODIFY resource ENUM(
  'domains', 'domain_recordsets', 'recordset_records', 'domain_records',
  'export_recordsets') NOT NULL;
