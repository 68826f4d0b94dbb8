-- central looks up the records of a domain that producers manage before it deletes the domain, and
-- when it commits an import.
ALTER TABLE records
  ADD KEY record_managed (domain_id, managed_by);

-- Before, zonefleet-ports was the manager only of records without a project.
UPDATE port_records p
  JOIN recordsets s ON s.name = p.name AND s.type = p.type
  JOIN domains d ON d.id = s.domain_id AND d.name = p.zone
  JOIN records r ON r.recordset_id = s.id AND r.data = p.data AND r.live = 1
  SET r.managed_by = 'ports'
  WHERE p.state IN ('HAVE', 'DROP') AND r.managed_by IS NULL;

-- The wildcards of routers and the CNAMEs of former names. The next check of a router also marks
-- the first records of its domain.
UPDATE routers t
  JOIN domains d ON d.name = CONCAT(t.dns, '.') AND d.live = 1
  JOIN recordsets s ON s.domain_id = d.id AND s.name = CONCAT('*.', t.dns, '.') AND s.type IN (1, 28)
  JOIN records r ON r.recordset_id = s.id AND r.live = 1
  SET r.managed_by = 'routes'
  WHERE r.managed_by IS NULL;
UPDATE route_moves m
  JOIN routers t ON t.name = m.router
  JOIN domains d ON d.name = CONCAT(t.dns, '.') AND d.live = 1
  JOIN recordsets s ON s.domain_id = d.id AND s.name = CONCAT(m.dns, '.') AND s.type = 5
  JOIN records r ON r.recordset_id = s.id AND r.live = 1
  SET r.managed_by = 'routes'
  WHERE m.target IS NOT NULL AND m.state <> 'CACHED' AND r.managed_by IS NULL;

-- The record sets that zonefleet-ownership has made in domains of central, and its ownership marks,
-- except encrypted ones. The other marks stay without a manager until zonefleet-ownership writes them again.
UPDATE registries g
  JOIN ownership o ON o.registry_id = g.id
  JOIN domains d ON d.name = g.zone AND d.live = 1
  JOIN recordsets s ON s.domain_id = d.id AND s.name = o.name AND s.type = o.type
  JOIN records r ON r.recordset_id = s.id AND r.live = 1
    AND LOCATE(CONCAT(UNHEX(LPAD(HEX(LENGTH(r.rdata)), 4, '0')), r.rdata), o.records) > 0
  SET r.managed_by = 'ownership'
  WHERE r.managed_by IS NULL;
UPDATE registries g
  JOIN domains d ON d.name = g.zone AND d.live = 1
  JOIN recordsets s ON s.domain_id = d.id AND s.type = 16
  JOIN records r ON r.recordset_id = s.id AND r.live = 1
    AND r.data LIKE CONCAT('"heritage=external-dns,external-dns/owner=', g.storage_id, ',%')
  SET r.managed_by = 'ownership'
  WHERE r.managed_by IS NULL;

-- ports: the version of the domain that contained all records of the project, and whether they must be
-- sent again because the version has changed since then.
ALTER TABLE port_zones
  ADD COLUMN seen_version BIGINT UNSIGNED NULL,
  ADD COLUMN is_suspect BOOLEAN NOT NULL DEFAULT FALSE;
