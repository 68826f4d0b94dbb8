-- All addresses that the name of a server's host has, one space between two: mini-DNS lets in each
-- of them. NULL: a pool manager from before wrote the row, and the server has the address in `host`.
-- An empty host: its name is not known yet.
ALTER TABLE pool_servers
  ADD COLUMN addresses VARCHAR(512) CHARACTER SET ascii COLLATE ascii_bin NULL;
