-- Follows an automatic top-up that ended. A success sets the count of failures to zero. A failure is an event and a notice of the
-- account, and makes the next one wait an hour; the third in a row, and one whose method has ended, stops them.
-- Called by: trigger topups_automatic_ended on topups.
-- Locks: the settings of automatic top-ups of the account.
CREATE OR REPLACE FUNCTION auto_topup_ended() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  wish auto_topups%ROWTYPE;
BEGIN
  IF NEW.status = 'succeeded' THEN
    UPDATE auto_topups a SET failed = 0, try_at = now() WHERE a.user_id = NEW.user_id;
    RETURN NULL;
  END IF;
  UPDATE auto_topups a SET failed = least(a.failed + 1, 3), try_at = now() + interval '1 hour',
      stopped_for = CASE WHEN NEW.failure = 'method_ended' THEN 'method_ended' WHEN a.failed >= 2 THEN 'failed' ELSE a.stopped_for END
    WHERE a.user_id = NEW.user_id RETURNING a.* INTO wish;
  PERFORM event_record('topup.failed', jsonb_build_object('topup_id', NEW.topup_id,
      'credits', event_credits(NEW.amount_units), 'amount_minor', NEW.amount_minor, 'currency', NEW.currency,
      'reason', coalesce(NEW.failure, 'declined'), 'failed_in_a_row', coalesce(wish.failed, 1),
      'stopped', wish.user_id IS NULL OR wish.stopped_for IS NOT NULL, 'failed_at', event_time(now())),
    ARRAY[NEW.user_id]);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION auto_topup_ended FROM PUBLIC, market_app;
