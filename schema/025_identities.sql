-- Tenants (projects) are compared by their octets. As utf8mb4_bin, which pads with blanks,
-- 'alice' and 'alice ' were one tenant. VARBINARY is exact on MariaDB and on MySQL; 255 octets
-- are what a message may say. `zonefleet db tenants` lists rows whose tenant no caller can have.
--
-- Each statement copies its table. Meanwhile the table can be read, but not written.

ALTER TABLE domains          MODIFY tenant     VARBINARY(255) NOT NULL;
ALTER TABLE quotas           MODIFY tenant     VARBINARY(255) NOT NULL;
ALTER TABLE imports          MODIFY tenant     VARBINARY(255) NOT NULL;
ALTER TABLE networks         MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE ports            MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE port_zones       MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE port_records     MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE routes           MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE route_namespaces MODIFY project_id VARBINARY(255) NOT NULL;
ALTER TABLE host_claims      MODIFY project_id VARBINARY(255) NOT NULL;
