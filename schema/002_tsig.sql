-- TSIG keys (RFC 8945). One that names a domain allows whoever signs with it to
-- transfer that domain, from any address, and goes with it. One without is for the
-- servers that name it: pool_servers.tsig_key.
--
-- name is canonical: lower case, with its final dot. secret is strict base64.

UPDATE tsigkeys SET algorithm = LOWER(TRIM(TRAILING '.' FROM algorithm));

ALTER TABLE tsigkeys
  ADD COLUMN domain_id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD KEY tsigkey_domain (domain_id),
  ADD CONSTRAINT tsigkey_domain FOREIGN KEY (domain_id) REFERENCES domains (id)
    ON DELETE CASCADE,
  ADD CONSTRAINT tsigkey_algorithm CHECK (algorithm IN (
    'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'));
