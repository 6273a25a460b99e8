-- The windows of budgets are days, weeks and months of the account's time zone, and API keys have them too (ADR 0292).

-- migrate:up

ALTER TABLE users ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC' CHECK (length(time_zone) BETWEEN 1 AND 64);
COMMENT ON COLUMN users.time_zone IS 'IANA name of the time zone in which the days, weeks and months of budgets begin';

ALTER TABLE api_keys ADD COLUMN window_ends_at timestamptz;
UPDATE api_keys SET window_ends_at =
    (date_trunc(cap_window, window_began_at AT TIME ZONE 'UTC') + ('1 ' || cap_window)::interval) AT TIME ZONE 'UTC'
  WHERE cap_window <> 'lifetime' AND window_began_at IS NOT NULL;
UPDATE api_keys SET window_began_at = NULL, window_units = 0 WHERE cap_window = 'lifetime' AND window_began_at IS NOT NULL;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_window_is_whole CHECK ((window_began_at IS NULL) = (window_ends_at IS NULL));
COMMENT ON COLUMN api_keys.cap_window IS 'What the credit cap counts: the spending of the lifetime, or of a day, week or month of the account';
COMMENT ON COLUMN api_keys.window_ends_at IS 'End of that window; a change of the time zone applies from then on';
COMMENT ON COLUMN api_keys.window_units IS
  'Charges of calls that were accepted in that window and were not taken back; kept by api_key_count_spending';
CREATE TRIGGER api_keys_other_window BEFORE UPDATE OF cap_window ON api_keys FOR EACH ROW
  WHEN (NEW.cap_window <> OLD.cap_window) EXECUTE FUNCTION api_key_begin_window();

DROP FUNCTION IF EXISTS api_key_change(text, text, text, boolean, bigint);
-- Its result has further members; that of a new database has them already.
DO $$ BEGIN
  IF (SELECT NOT 'decided_at' = ANY (proargnames) FROM pg_proc WHERE oid = to_regprocedure('invocation_decide(jsonb)')) THEN
    DROP FUNCTION invocation_decide(jsonb);
  END IF;
END $$;

-- migrate:down

DROP FUNCTION IF EXISTS invocation_decide(jsonb);
DROP FUNCTION IF EXISTS api_key_change(text, text, jsonb);
DROP TRIGGER IF EXISTS api_keys_other_window ON api_keys;
ALTER TABLE api_keys DROP COLUMN window_ends_at;
ALTER TABLE users DROP COLUMN time_zone;
COMMENT ON COLUMN api_keys.cap_window IS 'What the credit cap counts: the spending of the lifetime, or of a UTC day, week or month';
COMMENT ON COLUMN api_keys.window_units IS 'Charges of calls that ended in that window and were not taken back; kept by api_key_count_spending';
