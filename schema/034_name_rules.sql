-- A suffix below which tenants may create domains, in the form of the Public Suffix List: "uk.",
-- "*.ck." or "!www.ck.". Without a row, tenants may create domains below all names.
CREATE TABLE tlds (
  id           CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name         VARCHAR(1005) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  description  VARCHAR(255) NOT NULL DEFAULT '',
  created_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  updated_at   DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  PRIMARY KEY (id),
  UNIQUE KEY tld_name (name)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- An entry has a name, or a regular expression that names of domains must not match. An older
-- central inserts only names, and would fail to list a pattern.
ALTER TABLE blacklists
  MODIFY name           VARCHAR(1004) CHARACTER SET ascii COLLATE ascii_bin NULL,
  ADD COLUMN pattern    VARBINARY(255) NULL AFTER name,
  ADD COLUMN updated_at DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  ADD UNIQUE KEY blacklist_pattern (pattern),
  ADD CONSTRAINT blacklist_kind CHECK ((name IS NULL) <> (pattern IS NULL));

UPDATE blacklists SET updated_at = created_at;
