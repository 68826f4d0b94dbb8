-- The class of the error that ended an import, for example 'OverQuota'. '': the import has no
-- error, a caller cancelled it, or no call used it for too long. '' can also mean that an older
-- version wrote the error.
ALTER TABLE imports
  ADD COLUMN error  VARCHAR(64) CHARACTER SET ascii NOT NULL DEFAULT '';
