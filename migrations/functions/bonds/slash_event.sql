-- Records an event and a notice of a slash for its developer. It names no buyers and no refunds: buyers see their
-- refund in their ledgers.
-- Called by: slash_apply, slash_resolve, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION slash_event(slash slashes, event_type text, notice text, at timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE about jsonb := jsonb_build_object('slash_id', slash.slash_id, 'agent_id', slash.agent_id,
  'status', slash.status, 'resolution', slash.resolution, 'credits', event_credits(slash.amount_units - slash.returned_units),
  'requested_credits', event_credits(slash.requested_units), 'refund', slash.refund,
  'explanation', slash.explanation, 'evidence', slash.evidence, 'applied_at', event_time(slash.applied_at),
  'counter_by', event_time(slash.counter_by), 'resolved_at', event_time(slash.resolved_at),
  'top_up_by', event_time(slash.top_up_by),
  'bond_credits', event_credits(bond_balance(slash.developer_user_id, 'bond')));
BEGIN
  PERFORM event_record(event_type, about, ARRAY[slash.developer_user_id], slash.agent_id);
  PERFORM bond_notify(slash.developer_user_id, notice, slash.slash_id, slash.agent_id, about, at);
END $$;

REVOKE ALL ON FUNCTION slash_event FROM PUBLIC, market_app;
