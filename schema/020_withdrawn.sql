-- A name before keeps being served until no resolver may follow its CNAME: WITHDRAW, central is to
-- be told that there is no CNAME; WITHDRAWN, central took that; CACHED, no name server has the
-- CNAME any more, and resolvers have it until ends_at. A name without a CNAME is CACHED from its
-- beginning. DROP: it is not served any more. ttl: the longest that the CNAME was given with.
ALTER TABLE route_moves
  MODIFY COLUMN state ENUM('ADD', 'HAVE', 'DROP', 'TOLD', 'WITHDRAW', 'WITHDRAWN', 'CACHED')
    NOT NULL,
  ADD COLUMN ttl INT UNSIGNED NOT NULL DEFAULT 0;

UPDATE route_moves SET state = 'CACHED' WHERE state = 'HAVE' AND target IS NULL;

-- The grace of these is over, and their routes live on: they are served until their CNAME is gone.
UPDATE route_moves m
  JOIN route_bindings b ON b.route_id = m.route_id
  JOIN routers d ON d.name = m.router
  SET m.state = 'WITHDRAW', m.seq = m.seq + 1
  WHERE m.state = 'DROP' AND m.target IS NOT NULL AND d.state <> 'going';
