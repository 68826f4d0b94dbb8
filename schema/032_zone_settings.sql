-- The settings that the zones of a server must have: their masters and key, their template or
-- pattern. settings_digest: the digest of these settings in the pool manager whose settings are the
-- newest. settings_at: when that pool manager read them.
ALTER TABLE pool_servers
  ADD COLUMN settings_digest  CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN settings_at      DATETIME(3) NOT NULL DEFAULT '1970-01-01 00:00:00.000';

-- Of a CREATE row: the digest of the settings that the zone had when the pool manager last created
-- or checked it. '': never checked. A '?' before the digest: to be checked once more. A row whose
-- digest differs from that of its server is due for a check.
ALTER TABLE pool_manager_status
  ADD COLUMN settings_digest  VARCHAR(17) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD KEY status_settings (server_id, action, status, settings_digest);

-- A zone with other settings, and its correction.
ALTER TABLE repairs
  MODIFY kind    ENUM('CONTENT', 'STRAY', 'OPTIONS') NOT NULL;
ALTER TABLE repair_log
  MODIFY kind    ENUM('CONTENT', 'STRAY', 'SERIAL', 'OPTIONS') NOT NULL,
  MODIFY action  ENUM('TRANSFER', 'DELETE', 'RENEW', 'RAISE', 'ADJUST') NOT NULL;
