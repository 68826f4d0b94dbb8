-- The health of a server, which all pool managers share: for DNS and for its control channel.
-- Each has the number of failures in a row, the time of the next try and the last error.
ALTER TABLE pool_servers
  ADD COLUMN failures            INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN next_try_at         DATETIME(3) NULL,
  ADD COLUMN last_error          VARCHAR(512) NOT NULL DEFAULT '',
  ADD COLUMN control_failures    INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN control_next_try_at DATETIME(3) NULL,
  ADD COLUMN control_error       VARCHAR(512) NOT NULL DEFAULT '';
