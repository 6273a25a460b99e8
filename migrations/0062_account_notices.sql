-- What an account should know, from the events about it: read or unread (ADR 0291).

-- migrate:up

CREATE TABLE account_notices (
  notice_id  text PRIMARY KEY CHECK (notice_id ~ '^ntc_[0-9a-f]{32}$'),
  user_id    text NOT NULL,
  type       text NOT NULL CHECK (length(type) <= 60),
  agent_id   text,
  data       jsonb NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  read_at    timestamptz
);
COMMENT ON COLUMN account_notices.data IS 'That of the event: ids, states, amounts and times';
CREATE INDEX account_notices_user ON account_notices (user_id, notice_id DESC);
CREATE INDEX account_notices_unread ON account_notices (user_id, notice_id DESC) WHERE read_at IS NULL;
CREATE INDEX account_notices_old ON account_notices (at);
GRANT SELECT, UPDATE ON account_notices TO market_app;

CREATE TRIGGER frozen_wallets_notice AFTER INSERT OR DELETE ON frozen_wallets FOR EACH ROW
  EXECUTE FUNCTION wallet_freeze_noted();
CREATE TRIGGER tax_forms_notice AFTER UPDATE OF reviewed_by ON tax_forms FOR EACH ROW
  WHEN (OLD.reviewed_by IS NULL AND NEW.reviewed_by IS NOT NULL) EXECUTE FUNCTION tax_form_noted();

-- migrate:down

DROP TRIGGER IF EXISTS tax_forms_notice ON tax_forms;
DROP TRIGGER IF EXISTS frozen_wallets_notice ON frozen_wallets;
DROP TABLE account_notices;
