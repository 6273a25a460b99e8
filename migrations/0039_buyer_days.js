/**
 * Paid calls of an agent by UTC day and buyer, for the figures of listings and for findings of behaviour (ADR 0189). The calls of
 * the developer's own account and free calls are not among them. Written by buyer_days_add, which also keeps the sums of each day,
 * so that figures cost the same after any number of calls and buyers. Stored calls of the last 31 days are taken over, and
 * are not evidence for new findings.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE buyer_days (
    agent_id        text NOT NULL,
    day             date NOT NULL,
    buyer_user_id   text NOT NULL,
    succeeded       integer NOT NULL DEFAULT 0,
    refused         integer NOT NULL DEFAULT 0,
    failed          integer NOT NULL DEFAULT 0,
    code            text,
    open_succeeded  boolean NOT NULL DEFAULT false,
    open_refused    boolean NOT NULL DEFAULT false,
    open_failed     boolean NOT NULL DEFAULT false,
    PRIMARY KEY (agent_id, day, buyer_user_id)
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN buyer_days.refused IS 'Calls that the agent refused with a status 4xx';
  COMMENT ON COLUMN buyer_days.failed IS 'Other failures of the agent, and charges that disputes took back';
  COMMENT ON COLUMN buyer_days.code IS 'Error code of the latest failed call';
  COMMENT ON COLUMN buyer_days.open_failed IS 'True until verification has judged this outcome of the buyer in this day';
  CREATE INDEX buyer_days_open ON buyer_days (agent_id) WHERE open_succeeded OR open_refused OR open_failed;
  CREATE INDEX buyer_days_day ON buyer_days (day);

  CREATE TABLE buyer_day_sums (
    agent_id  text NOT NULL,
    day       date NOT NULL,
    calls     bigint NOT NULL,
    buyers    bigint NOT NULL,
    shares    numeric NOT NULL,
    PRIMARY KEY (agent_id, day)
  ) WITH (fillfactor = 50);
  COMMENT ON COLUMN buyer_day_sums.calls IS 'Successes, and one more for each buyer with failures: these were refunded';
  COMMENT ON COLUMN buyer_day_sums.shares IS 'The sum over the buyers of the share of their calls that succeeded';
  CREATE INDEX buyer_day_sums_day ON buyer_day_sums (day);

  CREATE TABLE buyer_day_disputes (
    agent_id       text NOT NULL,
    day            date NOT NULL,
    buyer_user_id  text NOT NULL
  );
  COMMENT ON TABLE buyer_day_disputes IS 'Charges that disputes took back, until buyer_days_dispute counts them';

  INSERT INTO buyer_days (agent_id, day, buyer_user_id, succeeded, failed)
  SELECT i.agent_id, (i.invoked_at AT TIME ZONE 'UTC')::date, i.buyer_user_id,
    count(*) FILTER (WHERE i.status = 'succeeded'), count(*) FILTER (WHERE i.status <> 'succeeded')
  FROM invocations i WHERE i.invoked_at > now() - interval '31 days' AND i.price_units > 0
    AND i.buyer_user_id <> i.developer_user_id AND (i.status = 'succeeded' AND i.charged_units > 0
      OR i.status IN ('failed', 'disputed') AND coalesce(call_fault(i.error_code), 'agent') = 'agent')
  GROUP BY 1, 2, 3;
  INSERT INTO buyer_day_sums
  SELECT b.agent_id, b.day, sum(b.succeeded + least(b.failed, 1)), count(*),
    sum(round(b.succeeded::numeric / (b.succeeded + b.failed), 6))
  FROM buyer_days b GROUP BY 1, 2;

  ALTER TABLE agent_stats ADD COLUMN buyer_days_30d integer NOT NULL DEFAULT 0;
  COMMENT ON COLUMN agent_stats.buyer_days_30d IS 'Buyers of each of the last 30 UTC days, by which listings are ranked';
  UPDATE agent_stats SET due_at = now();
  ALTER TABLE agent_call_tallies DROP COLUMN succeeded, DROP COLUMN refused, DROP COLUMN failed, DROP COLUMN code;

  GRANT SELECT ON buyer_days, buyer_day_sums TO market_app;
  GRANT UPDATE (open_succeeded, open_refused, open_failed) ON buyer_days TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE agent_call_tallies ADD COLUMN succeeded integer NOT NULL DEFAULT 0,
    ADD COLUMN refused integer NOT NULL DEFAULT 0, ADD COLUMN failed integer NOT NULL DEFAULT 0, ADD COLUMN code text;
  ALTER TABLE agent_stats DROP COLUMN buyer_days_30d;
  DROP TABLE buyer_day_disputes, buyer_day_sums, buyer_days;
`);
