-- Writes the events of these accounts into event_inbox for the next keep_ms. What happened before the first of unbroken
-- calls is not there.
-- Called by: src/stores/webhooks/event-inbox.ts.
-- Locks: the accounts' rows in event_followers, in the order of their ids.
CREATE OR REPLACE FUNCTION event_follow(accounts text[], keep_ms bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO event_followers AS f (user_id, since, until)
    SELECT DISTINCT u.id, event_position(now()), now() + keep_ms * interval '1 millisecond'
      FROM unnest(accounts) u(id) ORDER BY 1
  ON CONFLICT (user_id) DO UPDATE SET until = excluded.until,
    since = CASE WHEN f.until <= now() THEN excluded.since ELSE f.since END
$$;

REVOKE ALL ON FUNCTION event_follow FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_follow TO market_app;
