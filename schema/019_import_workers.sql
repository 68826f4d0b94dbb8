-- Who commits an import, and how often that was begun: one whose worker died is taken up at once
-- by another, one that ends its workers not at once each time.
ALTER TABLE imports
  ADD COLUMN worker VARCHAR(128) NOT NULL DEFAULT '',
  ADD COLUMN attempts INT UNSIGNED NOT NULL DEFAULT 0;
