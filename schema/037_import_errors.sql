-- The class of the error that ended an import, for example 'OverQuota'. '': the import has no
-- error, was cancelled, or an older version wrote its error.
ALTER TABLE imports
  ADD COLUMN error  VARCHAR(64) CHARACTER SET ascii NOT NULL DEFAULT '';
