-- Ends a saved payment method, once: by its owner, whose automatic top-ups with it are turned off, or by the provider, such as
-- for a card that was taken back. Then they stop, and the owner is notified.
-- Called by: src/stores/billing/saved-methods.ts.
-- Locks: the method, then the settings of automatic top-ups.
CREATE OR REPLACE FUNCTION saved_method_end(provider_name text, method text, by_whom text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  ended saved_methods%ROWTYPE;
  wish  auto_topups%ROWTYPE;
BEGIN
  UPDATE saved_methods s SET ended_at = now()
    WHERE s.provider = provider_name AND s.method_ref = method AND s.ended_at IS NULL RETURNING s.* INTO ended;
  IF NOT FOUND THEN RETURN; END IF;
  IF by_whom = 'owner' THEN
    DELETE FROM auto_topups a WHERE a.method_id = ended.method_id;
    RETURN;
  END IF;
  UPDATE auto_topups a SET stopped_for = 'method_ended' WHERE a.method_id = ended.method_id AND a.stopped_for IS NULL
    RETURNING a.* INTO wish;
  IF FOUND THEN
    PERFORM event_record('topup.failed', jsonb_build_object('topup_id', NULL, 'credits', event_credits(wish.buy_units),
        'amount_minor', NULL, 'currency', ended.currency, 'reason', 'method_ended', 'failed_in_a_row', wish.failed,
        'stopped', true, 'failed_at', event_time(now())),
      ARRAY[wish.user_id]);
  END IF;
END $$;

REVOKE ALL ON FUNCTION saved_method_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION saved_method_end TO market_app;
