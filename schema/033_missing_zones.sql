-- A zone that was missing on a server, and that the pool manager created again.
ALTER TABLE repair_log
  MODIFY kind    ENUM('CONTENT', 'STRAY', 'SERIAL', 'OPTIONS', 'MISSING') NOT NULL,
  MODIFY action  ENUM('TRANSFER', 'DELETE', 'RENEW', 'RAISE', 'ADJUST', 'CREATE') NOT NULL;
