-- digest: SHA-256 of the tenant, the rights, the method and the arguments of the call whose
-- answer is kept. Another call with the same message id does not get this answer. NULL: a
-- program of an older version wrote the row.
ALTER TABLE requests           ADD COLUMN digest BINARY(32) NULL;
ALTER TABLE ownership_requests ADD COLUMN digest BINARY(32) NULL;
ALTER TABLE ownership_orders   ADD COLUMN digest BINARY(32) NULL;
