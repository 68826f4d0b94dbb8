-- All addresses of a server's host, with one space between two. mini-DNS accepts each of them.
-- NULL: an older pool manager wrote the row; the address is in `host`.
-- An empty `host`: the host name has not been resolved yet.
ALTER TABLE pool_servers
  ADD COLUMN addresses VARCHAR(512) CHARACTER SET ascii COLLATE ascii_bin NULL;
