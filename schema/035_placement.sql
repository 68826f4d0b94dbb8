-- The attributes of pools and domains: a JSON object of strings, or '' for none. The scheduler
-- compares the attributes of a new domain with the attributes of the pools. The description of a
-- record set is any text.
--
-- pools.capacity: the number of domains after which the filter `capacity` no longer selects the
-- pool; NULL: no limit. pools.domains: the number of domains at the last count. central counts the
-- domains of pools with a capacity.
ALTER TABLE pools
  ADD COLUMN attributes  VARCHAR(4096) NOT NULL DEFAULT '',
  ADD COLUMN capacity    INT UNSIGNED NULL,
  ADD COLUMN domains     INT UNSIGNED NOT NULL DEFAULT 0;

ALTER TABLE domains
  ADD COLUMN attributes  VARCHAR(4096) NOT NULL DEFAULT '';

ALTER TABLE recordsets
  ADD COLUMN description  VARCHAR(255) NOT NULL DEFAULT '';
