-- Lots of each developer by the UTC day on which they mature, rolled up from `earnings`
-- (docs/internals/statements.md#sums-by-day).
--
-- Statement triggers write what changed to `earning_deltas`, one row for each developer and day, in the transaction
-- that changes the lots; rows only, so that calls of one developer never wait for each other. A loop adds them to the
-- days. Read `earning_day_lots` and `earning_sums`: they add what waits, so that sums are exact at any time.

-- migrate:up

CREATE TABLE earning_deltas (
  developer_user_id  text NOT NULL,
  matures_on         date NOT NULL,
  lots               bigint NOT NULL,
  open_units         bigint NOT NULL,
  disputed_units     bigint NOT NULL,
  earned_units       bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX earning_deltas_developer ON earning_deltas (developer_user_id);

CREATE TABLE earning_days (
  developer_user_id  text NOT NULL,
  matures_on         date NOT NULL,
  lots               bigint NOT NULL,
  open_units         bigint NOT NULL,
  disputed_units     bigint NOT NULL,
  earned_units       bigint NOT NULL,
  PRIMARY KEY (developer_user_id, matures_on)
) WITH (fillfactor = 70);
-- The days of a developer lie on as many pages of the table, and on few of the index.
CREATE INDEX earning_days_open ON earning_days (developer_user_id, matures_on)
  INCLUDE (lots, open_units, disputed_units) WHERE lots > 0;
COMMENT ON COLUMN earning_days.matures_on IS 'UTC day';
COMMENT ON COLUMN earning_days.lots IS 'Lots that are in no payout and not used up by clawbacks';
COMMENT ON COLUMN earning_days.open_units IS 'What these lots are worth: net without what clawbacks took';
COMMENT ON COLUMN earning_days.disputed_units IS 'The part of open_units that is in an open dispute';
COMMENT ON COLUMN earning_days.earned_units IS 'Net of all lots of the day, paid or not, that were not clawed back';

-- The sums of all days of a developer, so that a balance costs the same after years.
CREATE TABLE earning_totals (
  developer_user_id  text PRIMARY KEY,
  open_units         bigint NOT NULL,
  disputed_units     bigint NOT NULL,
  earned_units       bigint NOT NULL
) WITH (fillfactor = 50);

CREATE VIEW earning_changes AS
  SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_deltas
  UNION ALL
  SELECT a.user_id, p.matures_on, 1, p.amount_units, 0, p.amount_units
    FROM accounts a CROSS JOIN LATERAL (SELECT * FROM pending_rollups r
      WHERE r.account_id = a.account_id AND r.matures_on IS NOT NULL OFFSET 0) p WHERE a.kind = 'payable';
COMMENT ON VIEW earning_changes IS 'What the days and totals of earnings lack yet: changes of lots, and new lots';

CREATE VIEW earning_day_lots AS
  SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_days
  UNION ALL
  SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_changes;

CREATE VIEW earning_sums AS
  SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_totals
  UNION ALL
  SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_changes;

CREATE TRIGGER earnings_days_changed AFTER UPDATE ON earnings REFERENCING OLD TABLE AS old_lots NEW TABLE AS new_lots
  FOR EACH STATEMENT EXECUTE FUNCTION earning_days_follow_changed();

GRANT SELECT ON earning_deltas, earning_changes, earning_days, earning_totals, earning_day_lots, earning_sums TO market_app;

-- migrate:down

DROP TRIGGER IF EXISTS earnings_days_changed ON earnings;
DROP VIEW IF EXISTS earning_sums, earning_day_lots, earning_changes;
DROP TABLE earning_totals, earning_days, earning_deltas;
