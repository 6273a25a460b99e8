-- Budgets of an account, for all of its calls or for those with a pair of metadata (ADR 0294).

-- migrate:up

CREATE TABLE budgets (
  budget_id        text PRIMARY KEY CHECK (budget_id ~ '^bgt_[0-9a-f]{32}$'),
  user_id          text NOT NULL REFERENCES users,
  tag              text CHECK (length(tag) BETWEEN 3 AND 141),
  cap_units        bigint NOT NULL CHECK (cap_units >= 0),
  cap_window       text NOT NULL CHECK (cap_window IN ('lifetime', 'day', 'week', 'month')),
  window_began_at  timestamptz NOT NULL,
  window_ends_at   timestamptz,
  window_units     bigint NOT NULL DEFAULT 0 CHECK (window_units >= 0),
  created_at       timestamptz NOT NULL DEFAULT now(),
  UNIQUE NULLS NOT DISTINCT (user_id, tag, cap_window),
  CHECK ((window_ends_at IS NULL) = (cap_window = 'lifetime'))
) WITH (fillfactor = 70);
COMMENT ON TABLE budgets IS 'What an account allows its calls to cost in a window';
COMMENT ON COLUMN budgets.tag IS 'A pair of metadata, such as project=atlas; null: all calls of the account';
COMMENT ON COLUMN budgets.window_units IS 'Charges of calls that were accepted in the window and were not taken back; kept by budget_count_spending';
GRANT SELECT ON budgets TO market_app;

ALTER TABLE invocations ADD COLUMN budget_ids text[];
ALTER TABLE archive.invocations ADD COLUMN budget_ids text[];
CREATE OR REPLACE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
COMMENT ON COLUMN invocations.budget_ids IS 'The budgets that count the call; null without any';
CREATE TRIGGER invocations_budget_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.budget_ids IS NOT NULL AND NEW.status <> OLD.status
    AND (NEW.status IN ('succeeded', 'failed') AND NEW.charged_units > 0 OR OLD.status IN ('succeeded', 'failed')))
  EXECUTE FUNCTION budget_count_spending();

-- Its result has further members; that of a new database has them already.
DO $$ BEGIN
  IF (SELECT NOT 'budget_ids' = ANY (proargnames) FROM pg_proc WHERE oid = to_regprocedure('invocation_decide(jsonb)')) THEN
    DROP FUNCTION invocation_decide(jsonb);
  END IF;
END $$;

-- migrate:down

DROP FUNCTION IF EXISTS invocation_decide(jsonb);
DROP FUNCTION IF EXISTS budget_used(budgets, timestamptz);
DROP FUNCTION IF EXISTS budget_window_end_of(budgets, timestamptz);
DROP TRIGGER IF EXISTS invocations_budget_spending ON invocations;
DROP TABLE budgets;
DROP VIEW all_invocations;
ALTER TABLE archive.invocations DROP COLUMN budget_ids;
ALTER TABLE invocations DROP COLUMN budget_ids;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;
