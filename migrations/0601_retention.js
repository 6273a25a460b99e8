/**
 * Answers that nobody may read any more. Those of agents that retain nothing go as soon as every caller who waited was
 * served; the others when they expire. So the marks of callers waiting in other processes outlive the settling of a
 * call whose answer is to be forgotten: each process takes its own away when it has served them.
 */
exports.up = (knex) =>
  knex.raw(`
  -- True while the answer of a call of an agent that retains nothing is kept.
  CREATE FUNCTION invocation_is_unretained(id text) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM invocation_answers a JOIN invocations i USING (invocation_id)
      JOIN agent_versions v USING (version_id) WHERE a.invocation_id = id AND v.retention_days = 0)
  $$;

  -- Notifies only when somebody waits: every NOTIFY takes a lock that all commits share.
  CREATE OR REPLACE FUNCTION invocation_tell(id text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
      IF NOT invocation_is_unretained(id) THEN
        DELETE FROM invocation_waiters w WHERE w.invocation_id = id;
      END IF;
      PERFORM pg_notify('invocation_settled', id);
    END IF;
  END $$;

  -- A process has no caller left who waits for this call. With all of them served, the answer of an agent that
  -- retains nothing goes, unless callers wait in other processes. The row lock orders processes that end together.
  CREATE FUNCTION invocation_served(id text, served_owner text, all_served boolean) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM invocation_lock(ARRAY[id]);
    DELETE FROM invocation_waiters w WHERE w.invocation_id = id AND w.owner = served_owner;
    IF NOT all_served OR NOT invocation_is_unretained(id)
       OR EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
      RETURN false;
    END IF;
    DELETE FROM invocation_answers a WHERE a.invocation_id = id;
    RETURN FOUND;
  END $$;

  -- One batch: answers past their time, and waiters of calls that ended an hour ago, whose process is gone.
  CREATE FUNCTION retention_purge(most integer, OUT answers integer, OUT waiters integer)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    DELETE FROM invocation_answers a WHERE a.invocation_id IN (
      SELECT e.invocation_id FROM invocation_answers e WHERE e.expires_at <= now()
      ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS answers = ROW_COUNT;
    DELETE FROM invocation_waiters w WHERE (w.invocation_id, w.owner) IN (
      SELECT s.invocation_id, s.owner FROM invocation_waiters s JOIN invocations i USING (invocation_id)
      WHERE i.settled_at < now() - interval '1 hour' LIMIT most FOR UPDATE OF s SKIP LOCKED);
    GET DIAGNOSTICS waiters = ROW_COUNT;
  END $$;

  REVOKE ALL ON FUNCTION invocation_is_unretained, invocation_served, retention_purge FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION invocation_served, retention_purge TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  CREATE OR REPLACE FUNCTION invocation_tell(id text) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    IF EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
      DELETE FROM invocation_waiters w WHERE w.invocation_id = id;
      PERFORM pg_notify('invocation_settled', id);
    END IF;
  END $$;
  DROP FUNCTION retention_purge, invocation_served, invocation_is_unretained;
`);
