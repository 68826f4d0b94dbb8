-- The sets of an order that is OPEN, as far as they were begun with: ACCEPTED before the server
-- is asked, so that whoever does the next round knows what may have been done; DONE as soon as
-- that is known. APPLIED and REFUSED are within a transaction only. (ownership_order_sets is
-- that of a former version's program, which may still run.)
CREATE TABLE ownership_order_items (
  order_id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name          VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  type          SMALLINT UNSIGNED NOT NULL,
  state         ENUM('ACCEPTED', 'APPLIED', 'REFUSED', 'DONE') NOT NULL,
  PRIMARY KEY (order_id, name, type),
  FOREIGN KEY (order_id) REFERENCES ownership_orders (id) ON DELETE CASCADE
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- copied_by: the order that copied it from another registry, and is not over; NULL: a producer
-- asked for it. With a source that nobody has heard from here reported_at is 1970.
ALTER TABLE endpoints
  ADD COLUMN copied_by CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL;

ALTER TABLE endpoint_sources
  ADD KEY source_age (is_complete, endpoints, reported_at);

ALTER TABLE ownership_orders
  ADD KEY order_over (registry_id, state, done_at);

ALTER TABLE registries
  ADD KEY registry_zone (zone);
