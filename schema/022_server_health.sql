-- Whether a server answers, as all pool managers know it: to DNS, and on its control channel. The
-- failures in a row, when it is tried next once they are too many, and what was wrong last.
ALTER TABLE pool_servers
  ADD COLUMN failures            INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN next_try_at         DATETIME(3) NULL,
  ADD COLUMN last_error          VARCHAR(512) NOT NULL DEFAULT '',
  ADD COLUMN control_failures    INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN control_next_try_at DATETIME(3) NULL,
  ADD COLUMN control_error       VARCHAR(512) NOT NULL DEFAULT '';
