-- What stays of the public part of a version when its developer has deleted the account: price, abilities and how data is
-- handled, without texts of the developer. Milestones keep their parts of the price.
-- Called by: account_erase_agents.
-- Locks: none.
CREATE OR REPLACE FUNCTION account_erased_public_part(public_part text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object(
      'pricing', m -> 'pricing',
      'capabilities', jsonb_strip_nulls(jsonb_build_object('streaming', able -> 'streaming', 'idempotent', able -> 'idempotent',
        'a2a_invocable', able -> 'a2a_invocable',
        'jobs', CASE WHEN jsonb_typeof(job) = 'object' THEN jsonb_build_object('max_seconds', job -> 'max_seconds',
          'heartbeat_seconds', job -> 'heartbeat_seconds', 'probe_max_seconds', job -> 'probe_max_seconds',
          'milestones', CASE WHEN jsonb_typeof(job -> 'milestones') = 'array' THEN (
            SELECT jsonb_agg(jsonb_build_object('name', 'Milestone ' || n, 'percent', one -> 'percent') ORDER BY n)
              FROM jsonb_array_elements(job -> 'milestones') WITH ORDINALITY each_one (one, n)) END) END)),
      'data_handling', jsonb_strip_nulls(jsonb_build_object('pii_processed', data -> 'pii_processed',
        'data_retention_days', data -> 'data_retention_days', 'residency', data -> 'residency',
        'subprocessors', '[]'::jsonb)),
      'homepage', NULL, 'icon_url', NULL, 'vertical', NULL, 'changelog', NULL)::text
    FROM (VALUES (manifest_json(public_part))) parsed (m),
      LATERAL (VALUES (m -> 'capabilities', m #> '{capabilities,jobs}', m -> 'data_handling')) parts (able, job, data)
$$;

REVOKE ALL ON FUNCTION account_erased_public_part FROM PUBLIC, market_app;
