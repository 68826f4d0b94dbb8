-- The plan apart, for its registry's row is written by each call. (registries.plan is that of
-- a former version's program, which may still run.)
CREATE TABLE registry_plans (
  registry_id   CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  plan          MEDIUMTEXT NOT NULL,
  PRIMARY KEY (registry_id),
  FOREIGN KEY (registry_id) REFERENCES registries (id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

INSERT INTO registry_plans (registry_id, plan)
  SELECT id, plan FROM registries WHERE plan IS NOT NULL;

-- not_before: whatever is wanted, the primary is left alone until then.
-- mismatches: a digest of what is wanted and somebody else has, as it was told last.
ALTER TABLE registries
  ADD COLUMN not_before DATETIME(3) NOT NULL DEFAULT '1970-01-01 00:00:00',
  ADD COLUMN mismatches CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '';

-- source_rev: which of the source's own lists this is; an older one is not taken after it.
ALTER TABLE endpoint_sources
  ADD COLUMN source_rev BIGINT UNSIGNED NOT NULL DEFAULT 0;

ALTER TABLE endpoints
  ADD KEY endpoint_name (registry_id, name, type);

ALTER TABLE ownership
  ADD KEY made_resource (registry_id, resource);

-- Answers to calls that must not be done again when their message comes again.
CREATE TABLE ownership_requests (
  unique_id     CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  result        VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  answered_at   DATETIME(3) NOT NULL,
  PRIMARY KEY (unique_id),
  KEY request_age (answered_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The record sets that a statement about an order is for: within its transaction only.
CREATE TABLE ownership_order_sets (
  order_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  PRIMARY KEY (order_id, name, type)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
