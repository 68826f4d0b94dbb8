-- What is due of a server is read by its time, through its control channel (zones to create or
-- delete, and those that it lost) and for its DNS port apart: by an index that has both, for
-- thousands of rows that are due by one of them hide none of the other.
ALTER TABLE pool_manager_status
  ADD COLUMN by_control TINYINT AS (action <> 'UPDATE' OR status <=> 'NO_DOMAIN') STORED,
  ADD KEY status_due_by (server_id, by_control, next_attempt_at),
  DROP KEY status_due;
