-- What a domain's journal takes, so that it is kept within a size: the sum is read from
-- the key alone.

ALTER TABLE journal
  ADD COLUMN bytes INT UNSIGNED AS (LENGTH(removed) + LENGTH(added)) STORED,
  ADD KEY journal_bytes (domain_id, bytes);
