-- The party at fault for an error of a call: agent | platform | buyer; null without a code. The same table as
-- src/domain/calls/call-fault.ts. Figures about an agent count only errors of the agent.
-- Called by: usage_recount, warranty_decide, src/stores/catalogue/usage.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION call_fault(error_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN error_code IS NULL THEN NULL
    WHEN error_code IN ('agent_error', 'agent_unreachable', 'agent_timeout', 'output_schema_mismatch',
      'response_too_large') THEN 'agent'
    WHEN error_code IN ('engine_unavailable', 'internal_error', 'not_ready', 'overloaded',
      'payment_pending') THEN 'platform'
    ELSE 'buyer' END
$$;

REVOKE ALL ON FUNCTION call_fault FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION call_fault TO market_app;
