-- Notices about payouts that wait for their developer, and about webhooks that their endpoint has ended (ADR 0372).

-- migrate:up

CREATE TRIGGER payouts_waiting_notice AFTER INSERT OR UPDATE OF status ON payouts FOR EACH ROW
  WHEN (NEW.status = 'rolled_over'
    AND NEW.reason IN ('no_payout_method', 'method_unavailable', 'method_returned', 'tax_form_required'))
  EXECUTE FUNCTION payout_waits_noted();
CREATE TRIGGER webhooks_disabled_notice AFTER UPDATE OF disabled_at ON webhooks FOR EACH ROW
  WHEN (OLD.disabled_at IS NULL AND NEW.disabled_reason = 'gone') EXECUTE FUNCTION webhook_disabled_noted();

-- migrate:down

DROP TRIGGER IF EXISTS webhooks_disabled_notice ON webhooks;
DROP TRIGGER IF EXISTS payouts_waiting_notice ON payouts;
DROP FUNCTION IF EXISTS webhook_disabled_noted();
DROP FUNCTION IF EXISTS payout_waits_noted();
