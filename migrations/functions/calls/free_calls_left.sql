-- How many free calls of an agent a buyer has left this month, of those that its version allows: a call of the month uses
-- one unless it failed, and unused ones are not kept for the next month. This is the only place of that rule.
-- Called by: invocation_decide, src/stores/calls/buyer-means.ts, src/stores/calls/call-funds.ts.
-- Locks: none; invocation_decide locks the counter before it asks.
CREATE OR REPLACE FUNCTION free_calls_left(allowed integer, buyer text, agent text) RETURNS integer
LANGUAGE sql STABLE
RETURN greatest(allowed - coalesce((SELECT f.used FROM free_calls f
  WHERE f.month = free_calls_month() AND f.buyer_user_id = buyer AND f.agent_id = agent), 0), 0);

REVOKE ALL ON FUNCTION free_calls_left FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION free_calls_left TO market_app;
