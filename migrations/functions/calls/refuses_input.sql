-- Whether an HTTP status of an agent refuses a call for what it contains, so that the call is no error of the agent: a 4xx
-- but those that refuse the marketplace or the moment. The same rule as refusesInput in
-- src/domain/calls/failure-facts.ts. False without a status.
-- Called by: call_failure_record, counted_code, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION refuses_input(http_status integer) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(http_status BETWEEN 400 AND 499 AND http_status NOT IN (401, 403, 407, 408, 409, 425, 429), false)
$$;

REVOKE ALL ON FUNCTION refuses_input FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION refuses_input TO market_app;
