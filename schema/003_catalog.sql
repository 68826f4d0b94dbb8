-- Catalog zones (RFC 9432). That of a pool is a domain like the others, of the kind
-- CATALOG: central alone changes it. A domain of the pool is its member while it
-- lives; catalog_id is the catalog that lists it at present, as a PTR record. What
-- differs from what is wanted is found by the index, and put right.

ALTER TABLE domains
  ADD COLUMN kind ENUM('PRIMARY', 'CATALOG') NOT NULL DEFAULT 'PRIMARY',
  ADD COLUMN catalog_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  ADD COLUMN member TINYINT AS
    (IF(kind = 'PRIMARY' AND task <> 'DELETE' AND status <> 'DELETED', 1, 0)) STORED,
  ADD KEY domain_catalog (pool_id, member, catalog_id);

ALTER TABLE pools
  ADD COLUMN catalog_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD CONSTRAINT pool_catalog FOREIGN KEY (catalog_id) REFERENCES domains (id);
