-- differs_since: a comparison found that the server has other records than ours under our serial;
-- NULL after a comparison has found them equal. compare_at: when mini-DNS compares them again.
-- comparisons: how often mini-DNS was told to. asked_at: when an administrator asked for a repair;
-- the pool manager then ignores pauses that began earlier.
ALTER TABLE pool_manager_status
  ADD COLUMN differs_since DATETIME(3)  NULL,
  ADD COLUMN compare_at    DATETIME(3)  NULL,
  ADD COLUMN comparisons   INT UNSIGNED NOT NULL DEFAULT 0,
  ADD COLUMN asked_at      DATETIME(3)  NULL,
  ADD KEY status_compare (compare_at);
