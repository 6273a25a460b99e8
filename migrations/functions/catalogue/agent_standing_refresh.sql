-- Derives an agent's listing status: score, badge, whether search finds it, and why not (specification, "Agent
-- verification and visibility"). It reads the newest report of the serving version, the developer's bond and the
-- agent's status, and writes changes to listing_changes and to the outbox of events. Idempotent. Call it in the
-- transaction that changes a report, a bond, or an agent's status or serving version.
-- Called by: developer_standing_refresh, src/stores/catalogue/agents.ts.
-- Locks: the agent.
CREATE OR REPLACE FUNCTION agent_standing_refresh(agent text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  a          agents;
  report     record;
  bond       record;
  hidden     boolean;
  new_badge  text;
  now_listed boolean;
  change     bigint;
BEGIN
  SELECT * INTO a FROM agents WHERE agent_id = agent FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT r.score, r.earned_badge, r.has_critical, r.rubric_version, r.verified_at INTO report
    FROM trust_reports r WHERE r.agent_id = agent AND r.counts ORDER BY r.sequence DESC LIMIT 1;
  SELECT * INTO bond FROM bond_standing(a.developer_user_id);
  PERFORM agent_reasons_refresh(agent, coalesce(report.has_critical, false), bond);
  hidden := EXISTS (SELECT FROM agent_hidden_reasons h WHERE h.agent_id = agent AND h.hides);
  now_listed := a.status = 'active' AND a.serving_version_id IS NOT NULL AND NOT hidden;
  new_badge := CASE WHEN now_listed THEN badge_capped(report.earned_badge, bond.tier) END;
  IF (a.badge, a.trust_score, a.listed) IS NOT DISTINCT FROM (new_badge, report.score, now_listed) THEN RETURN; END IF;
  UPDATE agents SET badge = new_badge, trust_score = report.score, listed = now_listed, updated_at = now(),
      live_at = CASE WHEN serving_version_id IS NULL THEN live_at ELSE coalesce(live_at, now()) END
    WHERE agent_id = agent;
  INSERT INTO listing_changes (agent_id, badge, trust_score, listed, was_listed)
    VALUES (agent, new_badge, report.score, now_listed, a.listed) RETURNING change_id INTO change;
  PERFORM pg_notify('listing_change', change::text);
  IF report.score IS DISTINCT FROM a.trust_score AND report.score IS NOT NULL THEN
    PERFORM event_record('trust_score.updated', jsonb_build_object('agent_id', agent, 'slug', a.slug,
        'score', report.score, 'previous_score', a.trust_score, 'badge', new_badge, 'previous_badge', a.badge,
        'rubric_version', report.rubric_version, 'verified_at', iso_time(report.verified_at)),
      ARRAY[a.developer_user_id], agent, now_listed OR a.listed);
  END IF;
  IF a.listed AND NOT now_listed THEN
    PERFORM event_record('agent.delisted', jsonb_build_object('agent_id', agent, 'slug', a.slug, 'reasons',
        coalesce((SELECT jsonb_agg(code ORDER BY code) FROM (
            SELECT h.code FROM agent_hidden_reasons h WHERE h.agent_id = agent AND h.hides
            UNION ALL SELECT a.status WHERE a.status <> 'active') reasons (code)), '[]')), ARRAY[a.developer_user_id], agent);
  ELSIF now_listed AND NOT a.listed
      AND EXISTS (SELECT FROM listing_changes c WHERE c.agent_id = agent AND c.was_listed) THEN
    PERFORM event_record('agent.relisted', jsonb_build_object('agent_id', agent, 'slug', a.slug),
      ARRAY[a.developer_user_id], agent);
  END IF;
END $$;

REVOKE ALL ON FUNCTION agent_standing_refresh FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION agent_standing_refresh TO market_app;
