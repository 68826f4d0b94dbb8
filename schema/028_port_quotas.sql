-- A project whose ports needed new reverse domains, and how often. A call that needs one for the
-- project changes the row, so that the calls that do so at the same time see each other.
CREATE TABLE port_quotas (
  project_id    VARBINARY(255) NOT NULL,
  rev           BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (project_id)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;
