/**
 * A task waits for the engine and for a worker, where a plain call has a caller who waits: a pending task is given up
 * after an hour. And its answer is for whoever polls it later: no caller who was served ends its time.
 */
const sweep = (pending) => `
  CREATE OR REPLACE FUNCTION invocation_sweep(pending_lease_ms integer, most integer) RETURNS TABLE (invocation_id text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  #variable_conflict use_column
  DECLARE lost text[];
  BEGIN
    SELECT coalesce(array_agg(l.invocation_id), '{}') INTO lost FROM (
      SELECT i.invocation_id FROM invocations i
      WHERE (i.status = 'pending' AND i.invoked_at < now() - ${pending})
         OR EXISTS (SELECT FROM holds h WHERE h.invocation_id = i.invocation_id AND h.state = 'open'
                    AND h.lease_until < now() AND i.status = 'running')
      ORDER BY i.invocation_id LIMIT most FOR NO KEY UPDATE OF i SKIP LOCKED) l;
    PERFORM ledger_lock_holds(lost);
    RETURN QUERY SELECT r.item ->> 'invocation_id' FROM (
      SELECT jsonb_build_object('invocation_id', u.id, 'error_code', 'engine_unavailable') AS item
      FROM unnest(lost) u(id)) r, LATERAL (SELECT count(*) FROM invocation_refund(jsonb_build_array(r.item))) done;
  END $$;
`;

const isUnretained = (condition) => `
  CREATE OR REPLACE FUNCTION invocation_is_unretained(id text) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM invocation_answers a JOIN invocations i USING (invocation_id)
      JOIN agent_versions v USING (version_id)
      WHERE a.invocation_id = id AND v.retention_days = 0 ${condition})
  $$;
`;

const PENDING_LEASE = "pending_lease_ms * interval '1 millisecond'";

exports.up = (knex) =>
  knex.raw(
    sweep(
      `CASE WHEN i.surface = 'a2a' THEN greatest(interval '1 hour', ${PENDING_LEASE}) ELSE ${PENDING_LEASE} END`,
    ) + isUnretained("AND i.surface <> 'a2a'"),
  );

exports.down = (knex) => knex.raw(sweep(PENDING_LEASE) + isUnretained(''));
