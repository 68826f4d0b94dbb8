-- A server whose records were found to be others than ours, under a serial of ours: differs_since
-- says since when, and until a comparison finds them equal. compare_at says when mini-DNS is to
-- compare again, and comparisons counts how often it was told to. asked_at says when an
-- administrator asked for the server to be put right now: pauses from before count no more.
ALTER TABLE pool_manager_status
  ADD COLUMN differs_since DATETIME(3)  NULL,
  ADD COLUMN compare_at    DATETIME(3)  NULL,
  ADD COLUMN comparisons   INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN asked_at      DATETIME(3)  NULL,
  ADD KEY status_compare (compare_at);
