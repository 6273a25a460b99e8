-- Converts a time to a position in event_inbox: microseconds since 1970.
-- Called by: event_follow, event_inbox_purge, event_order.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_position(at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$ SELECT (extract(epoch FROM at) * 1000000)::bigint $$;
