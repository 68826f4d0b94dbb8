-- A server that answers and does not follow is made to transfer a zone anew (kind SERIAL): TRANSFER
-- by its own command, RENEW after the zone was set up there again, or RAISE of our serial above
-- the server's, where it takes no orders.
ALTER TABLE repair_log
  MODIFY kind    ENUM('CONTENT', 'STRAY', 'SERIAL') NOT NULL,
  MODIFY action  ENUM('TRANSFER', 'DELETE', 'RENEW', 'RAISE') NOT NULL;
