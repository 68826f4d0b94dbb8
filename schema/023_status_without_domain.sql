-- A row of pool_manager_status names its domain without a foreign key: InnoDB locked the domain's
-- row for each report, and waited there for as long as central held it. The pool manager deletes
-- the rows whose domain is gone, some in each round of the sync.
ALTER TABLE pool_manager_status DROP FOREIGN KEY status_domain;
