-- Formats units as credits, as the API writes them.
-- Called by: account_alerts, auto_topup_ended, bond_cover_shortfall, bond_pay_waiting, budget_told, event_of_dispute,
-- event_of_invocation, event_of_offer, event_of_topup, offer_declined_noted, payout_waits_noted, saved_method_end,
-- slash_action, slash_event, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_credits(units bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE AS $$ SELECT trim_scale(units / 100.0) $$;
