-- Notifies the processes that wait for this call. It notifies only when a process waits, because every NOTIFY takes a
-- lock that all commits share.
-- Called by: invocation_fail_pending, invocation_refund, invocation_settle.
-- Locks: none of its own; the caller has locked the invocation.
CREATE OR REPLACE FUNCTION invocation_tell(id text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
    IF NOT invocation_is_unretained(id) THEN
      DELETE FROM invocation_waiters w WHERE w.invocation_id = id;
    END IF;
    PERFORM pg_notify('invocation_settled', id);
  END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_tell FROM PUBLIC, market_app;
