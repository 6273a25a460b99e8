-- How many free calls of an agent a buyer has left this month, of those that its version allows: a call of the month uses
-- one unless it failed, and unused ones are not kept for the next month.
-- Called by: src/stores/calls/buyer-means.ts, src/stores/calls/call-funds.ts.
-- Locks: none; invocation_decide locks the counter and asks free_calls_unused in one statement.
CREATE OR REPLACE FUNCTION free_calls_left(allowed integer, buyer text, agent text) RETURNS integer
LANGUAGE sql STABLE
RETURN free_calls_unused(allowed, (SELECT f.used FROM free_calls f
  WHERE f.month = free_calls_month() AND f.buyer_user_id = buyer AND f.agent_id = agent));

REVOKE ALL ON FUNCTION free_calls_left FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION free_calls_left TO market_app;
