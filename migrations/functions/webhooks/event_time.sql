-- Formats a time as the API writes it, in UTC with milliseconds.
-- Called by: auto_topup_ended, event_of_dispute, event_of_invocation, event_of_offer, event_of_topup, job_ask,
-- job_heard, rubric_publish, saved_method_end, slash_event, slash_resolve, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_time(at timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
