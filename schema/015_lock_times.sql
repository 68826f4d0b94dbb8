-- The time of a lock in thousandths of a second: what is set in milliseconds holds as set.
ALTER TABLE distributed_locks MODIFY ttl_s DECIMAL(10,3) UNSIGNED NOT NULL;
