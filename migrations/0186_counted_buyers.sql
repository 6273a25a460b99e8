-- Figures count unrelated buyers (ADR 0436): the accounts of one hand are one buyer, and those related to the developer
-- are none.

-- migrate:up

ALTER TABLE buyer_days ADD COLUMN unit_id text;
COMMENT ON COLUMN buyer_days.unit_id IS 'The buyer as figures count it (counted_unit); null if it is related to the developer and not counted';
CREATE INDEX buyer_days_buyer ON buyer_days (buyer_user_id);
UPDATE buyer_days SET unit_id = buyer_user_id;

CREATE TABLE counted_days (
  agent_id    text NOT NULL,
  day         date NOT NULL,
  unit_id     text NOT NULL,
  succeeded   integer NOT NULL,
  failed      integer NOT NULL,
  bucket      smallint,
  job_bucket  smallint,
  PRIMARY KEY (agent_id, day, unit_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE counted_days IS 'Paid calls of an agent by UTC day and unrelated buyer, of which buyer_day_sums has the sums';
COMMENT ON COLUMN counted_days.bucket IS 'usage_bucket of the first success of the day that was no job';
COMMENT ON COLUMN counted_days.job_bucket IS 'The same of jobs';
CREATE INDEX counted_days_day ON counted_days (day);
CREATE INDEX counted_days_unit ON counted_days (unit_id, agent_id, day);
INSERT INTO counted_days (agent_id, day, unit_id, succeeded, failed)
  SELECT agent_id, day, unit_id, succeeded, failed FROM buyer_days WHERE succeeded + failed > 0;

CREATE TABLE counted_buyers (
  agent_id  text NOT NULL,
  unit_id   text NOT NULL,
  last_day  date NOT NULL,
  PRIMARY KEY (agent_id, unit_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE counted_buyers IS 'Unrelated buyers of an agent, and their last day in counted_days';
CREATE INDEX counted_buyers_recent ON counted_buyers (agent_id, last_day);
CREATE INDEX counted_buyers_day ON counted_buyers (last_day);
INSERT INTO counted_buyers (agent_id, unit_id, last_day)
  SELECT agent_id, unit_id, max(day) FROM counted_days GROUP BY 1, 2;

CREATE TABLE counted_durations (
  agent_id  text NOT NULL,
  day       date NOT NULL,
  bucket    smallint NOT NULL,
  calls     bigint NOT NULL,
  PRIMARY KEY (agent_id, day, bucket)
) WITH (fillfactor = 70);
COMMENT ON TABLE counted_durations IS 'Durations of counted_days by bucket: one for each buyer of a day, and one for its jobs';
CREATE INDEX counted_durations_day ON counted_durations (day);
GRANT SELECT ON counted_days, counted_buyers, counted_durations TO market_app;

CREATE TABLE owner_changes (
  user_id  text PRIMARY KEY
);
COMMENT ON TABLE owner_changes IS 'Accounts whose relations changed, until owner_changes_apply has looked at how they are counted';

ALTER TABLE agent_stats ADD COLUMN buyers_30d integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN agent_stats.buyers_30d IS 'Unrelated buyers of the last 30 UTC days, at most 1,000; below ten, the shares and durations are null';
UPDATE agent_stats SET due_at = now();

CREATE TRIGGER organisation_members_owner_changes AFTER INSERT OR DELETE ON organisation_members FOR EACH ROW
  EXECUTE FUNCTION owner_changes_of_member();

-- migrate:down

DROP TRIGGER IF EXISTS organisation_members_owner_changes ON organisation_members;
ALTER TABLE agent_stats DROP COLUMN buyers_30d;
DROP TABLE owner_changes, counted_durations, counted_buyers, counted_days;
DROP INDEX buyer_days_buyer;
ALTER TABLE buyer_days DROP COLUMN unit_id;
