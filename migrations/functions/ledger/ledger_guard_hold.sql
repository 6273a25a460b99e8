-- Checks the life of a hold: its terms are fixed, it is resolved once (open → captured | voided | disputed), and only
-- an open hold may move its lease and its marks. A delivery that was marked stays marked.
-- Called by: trigger holds_guard on holds.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_guard_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'open' THEN
    RAISE EXCEPTION 'hold % was resolved as %', OLD.invocation_id, OLD.state USING ERRCODE = '23514';
  END IF;
  IF (NEW.invocation_id, NEW.buyer_user_id, NEW.developer_user_id, NEW.agent_id, NEW.version_id,
      NEW.amount_units, NEW.created_at, NEW.hold_transaction_id)
     IS DISTINCT FROM (OLD.invocation_id, OLD.buyer_user_id, OLD.developer_user_id, OLD.agent_id, OLD.version_id,
      OLD.amount_units, OLD.created_at, OLD.hold_transaction_id) OR NEW.forward_count < OLD.forward_count
     OR OLD.delivered_at IS DISTINCT FROM NEW.delivered_at AND OLD.delivered_at IS NOT NULL THEN
    RAISE EXCEPTION 'the terms of hold % are fixed', OLD.invocation_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
