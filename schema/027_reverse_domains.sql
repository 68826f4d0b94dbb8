-- made_for: the project whose port needed a reverse domain first. If we make the domain, it
-- counts for this project (ports.quota_reverse). NULL: it counts for no project.
ALTER TABLE port_zones
  ADD COLUMN made_for VARBINARY(255) NULL,
  ADD KEY zone_made_for (made_for);

-- Reverse domains that exist count for a project that has a port there.
UPDATE port_zones z SET made_for =
  (SELECT p.project_id FROM port_records r JOIN ports p ON p.id = r.port_id
   WHERE r.zone = z.zone AND p.project_id <> '' ORDER BY r.port_id LIMIT 1)
  WHERE z.project_id = '' AND z.made_id IS NOT NULL AND z.zone LIKE '%.arpa.';
