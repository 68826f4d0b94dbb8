-- Routers serve a former name until no resolver can follow its CNAME. WITHDRAW: central must
-- delete the CNAME. WITHDRAWN: central has deleted it, name servers may still have it. CACHED: the
-- name servers have deleted it, resolvers may have it until ends_at. DROP: routers no longer serve
-- the name. A name without a CNAME begins as CACHED. ttl: the longest ttl that the CNAME had.
ALTER TABLE route_moves
  MODIFY COLUMN state ENUM('ADD', 'HAVE', 'DROP', 'TOLD', 'WITHDRAW', 'WITHDRAWN', 'CACHED')
    NOT NULL,
  ADD COLUMN ttl INT UNSIGNED NOT NULL DEFAULT 0;

UPDATE route_moves SET state = 'CACHED' WHERE state = 'HAVE' AND target IS NULL;

-- Routers serve these names again until their CNAME is gone: the grace is over, the route exists.
UPDATE route_moves m
  JOIN route_bindings b ON b.route_id = m.route_id
  JOIN routers d ON d.name = m.router
  SET m.state = 'WITHDRAW', m.seq = m.seq + 1
  WHERE m.state = 'DROP' AND m.target IS NOT NULL AND d.state <> 'going';
