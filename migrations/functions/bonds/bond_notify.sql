-- Writes a notice for a developer.
-- Called by: bond_cover_shortfall, bond_pay_waiting, finding_notify, rubric_publish, slash_end_top_up, slash_event,
-- slash_resolve.
-- Locks: none.
CREATE OR REPLACE FUNCTION bond_notify(developer text, kind text, slash text, agent text, data jsonb, at timestamptz)
RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO developer_notices (notice_id, developer_user_id, kind, slash_id, agent_id, data, at)
  VALUES (ledger_new_id('ntc'), developer, kind, slash, agent, data, at)
$$;

REVOKE ALL ON FUNCTION bond_notify FROM PUBLIC, market_app;
