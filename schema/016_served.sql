-- Which version of its hosts (router_hosts) an instance serves, as its agent says; NULL: it does
-- not say, or there is none.
ALTER TABLE router_addresses ADD COLUMN serves BIGINT UNSIGNED NULL;

-- A name before leads to another router once the instances there serve it, that is, needs: the
-- version of that router's hosts which has the route. NULL: not known; then begins_at is all.
-- TOLD: central took it; its time is counted anew when the name servers have it (HAVE).
ALTER TABLE route_moves
  ADD COLUMN needs BIGINT UNSIGNED NULL,
  MODIFY COLUMN state ENUM('ADD', 'HAVE', 'DROP', 'TOLD') NOT NULL;
