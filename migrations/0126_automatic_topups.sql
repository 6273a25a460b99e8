-- Automatic top-ups (ADR 0307): below X credits, buy Y with a saved method.

-- migrate:up

CREATE TABLE auto_topups (
  user_id          text PRIMARY KEY REFERENCES users,
  method_id        text NOT NULL REFERENCES saved_methods,
  below_units      bigint NOT NULL CHECK (below_units > 0),
  buy_units        bigint NOT NULL CHECK (buy_units > 0),
  max_per_day      integer NOT NULL CHECK (max_per_day BETWEEN 1 AND 24),
  max_month_units  bigint NOT NULL CHECK (max_month_units >= buy_units),
  failed           integer NOT NULL DEFAULT 0 CHECK (failed BETWEEN 0 AND 3),
  try_at           timestamptz NOT NULL DEFAULT now(),
  stopped_for      text CHECK (stopped_for IN ('failed', 'method_ended')),
  updated_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE auto_topups IS 'Accounts whose wallets are topped up when they hold less';
COMMENT ON COLUMN auto_topups.failed IS 'Automatic top-ups that failed one after the other; it stops after three';
COMMENT ON COLUMN auto_topups.try_at IS 'No automatic top-up begins before: after a failure, and at the most of a day or month';
CREATE INDEX auto_topups_on ON auto_topups (user_id) WHERE stopped_for IS NULL;
CREATE INDEX auto_topups_method ON auto_topups (method_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON auto_topups TO market_app;

ALTER TABLE topups
  ADD COLUMN automatic boolean NOT NULL DEFAULT false,
  ADD COLUMN method_id text REFERENCES saved_methods,
  ADD COLUMN lease_until timestamptz,
  ADD COLUMN failure text CHECK (failure ~ '^[a-z_]{1,40}$');
COMMENT ON COLUMN topups.method_id IS 'The saved method that pays an automatic top-up';
COMMENT ON COLUMN topups.lease_until IS 'Until when the process that begins an automatic top-up may take; then another continues it';
COMMENT ON COLUMN topups.failure IS 'Why an automatic top-up failed, a code';
CREATE UNIQUE INDEX topups_automatic_pending ON topups (user_id) WHERE automatic AND status = 'pending';
CREATE INDEX topups_automatic ON topups (user_id, created_at) WHERE automatic;
GRANT UPDATE (lease_until) ON topups TO market_app;
CREATE TRIGGER topups_automatic_ended AFTER UPDATE OF status ON topups FOR EACH ROW
  WHEN (NEW.automatic AND OLD.status = 'pending' AND NEW.status <> 'pending') EXECUTE FUNCTION auto_topup_ended();

-- migrate:down

DROP TRIGGER IF EXISTS topups_automatic_ended ON topups;
DROP TABLE auto_topups;
ALTER TABLE topups DROP COLUMN automatic, DROP COLUMN method_id, DROP COLUMN lease_until, DROP COLUMN failure;
