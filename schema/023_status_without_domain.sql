-- pool_manager_status loses its foreign key. For each new row, InnoDB locked the row of the domain,
-- so a report waited while central held that row. The pool manager deletes rows of deleted domains
-- in each round of the sync.
ALTER TABLE pool_manager_status DROP FOREIGN KEY status_domain;
