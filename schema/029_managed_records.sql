-- The producer that manages a record. A change for this producer deletes only these records, so the
-- end of a port does not delete a record that an operator had created.
ALTER TABLE records
  ADD COLUMN managed_by VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL;

-- The records that zonefleet-ports has published without a project: reverse names above all.
UPDATE port_records p
  JOIN recordsets s ON s.name = p.name AND s.type = p.type
  JOIN domains d ON d.id = s.domain_id AND d.name = p.zone
  JOIN records r ON r.recordset_id = s.id AND r.data = p.data AND r.live = 1
  SET r.managed_by = 'ports'
  WHERE p.project_id = '' AND p.state IN ('HAVE', 'DROP');
