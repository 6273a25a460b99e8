-- Formats a time as the API writes it, in UTC with milliseconds.
-- Called by: account_alerts, agent_standing_write, api_key_count_spending, budget_count_spending, price_rise_notify,
-- src/stores/ledger/ledger-openings.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION iso_time(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
