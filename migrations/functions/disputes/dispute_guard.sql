-- Checks that a dispute moves as its states allow (src/domain/disputes/dispute-state.ts) and that its terms stay.
-- Called by: trigger disputes_guard on disputes.
-- Locks: none.
CREATE OR REPLACE FUNCTION dispute_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN
     (('open', 'accepted'), ('open', 'contested'), ('contested', 'accepted'), ('contested', 'won'), ('contested', 'lost')) THEN
    RAISE EXCEPTION 'dispute % may not go from % to %', OLD.dispute_id, OLD.status, NEW.status
      USING ERRCODE = '23514';
  END IF;
  -- account_erase replaces the description.
  IF current_setting('market.erasing', true) IS DISTINCT FROM 'on' AND (NEW.dispute_id, NEW.invocation_id, NEW.buyer_user_id, NEW.developer_user_id, NEW.agent_id, NEW.reason,
      NEW.description, NEW.opened_at, NEW.respond_by)
     IS DISTINCT FROM (OLD.dispute_id, OLD.invocation_id, OLD.buyer_user_id, OLD.developer_user_id, OLD.agent_id,
      OLD.reason, OLD.description, OLD.opened_at, OLD.respond_by) THEN
    RAISE EXCEPTION 'the terms of dispute % are fixed', OLD.dispute_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
