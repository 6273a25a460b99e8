/**
 * Lots of each developer by the UTC day on which they mature, rolled up from `earnings` (ADR 0091).
 *
 * Statement triggers write what changed to `earning_deltas`, one row for each developer and day, in the transaction that
 * changes the lots; rows only, so that calls of one developer never wait for each other. A loop adds them to the days.
 * Read `earning_day_lots` and `earning_sums`: they add what waits, so that sums are exact at any time.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE earning_deltas (
    delta_id           bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
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

  CREATE VIEW earning_day_lots AS
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_days
    UNION ALL
    SELECT developer_user_id, matures_on, lots, open_units, disputed_units, earned_units FROM earning_deltas;

  CREATE VIEW earning_sums AS
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_totals
    UNION ALL
    SELECT developer_user_id, open_units, disputed_units, earned_units FROM earning_deltas;

  CREATE TRIGGER earnings_days_new AFTER INSERT ON earnings REFERENCING NEW TABLE AS new_lots
    FOR EACH STATEMENT EXECUTE FUNCTION earning_days_follow_new();
  CREATE TRIGGER earnings_days_changed AFTER UPDATE ON earnings REFERENCING OLD TABLE AS old_lots NEW TABLE AS new_lots
    FOR EACH STATEMENT EXECUTE FUNCTION earning_days_follow_changed();

  GRANT SELECT ON earning_deltas, earning_days, earning_totals, earning_day_lots, earning_sums TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER IF EXISTS earnings_days_new ON earnings;
  DROP TRIGGER IF EXISTS earnings_days_changed ON earnings;
  DROP VIEW IF EXISTS earning_sums, earning_day_lots;
  DROP TABLE earning_totals, earning_days, earning_deltas;
`);
