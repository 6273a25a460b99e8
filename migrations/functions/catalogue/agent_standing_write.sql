-- Derives an agent's listing status: score, badge, whether search finds it, and why not (specification, "Agent
-- verification and visibility"). It reads the newest report of the serving version, the developer's bond and the
-- agent's status, and writes changes to listing_changes and to the outbox of events. wanted: the visibility that the owner
-- sets; null leaves it. Search lists public agents alone. Others have a badge for those who see them, but neither changes of listings
-- nor events for other accounts: the last change takes the agent out of the lists, without score and badge. What the owner
-- does by the visibility is no news for the owner. Idempotent.
-- Called by: agent_standing_refresh, src/stores/catalogue/visibility/audience.ts.
-- Locks: the agent.
CREATE OR REPLACE FUNCTION agent_standing_write(agent text, wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  a          agents;
  report     record;
  bond       record;
  fit        boolean;
  visible    text;
  new_badge  text;
  now_listed boolean;
  change     bigint;
BEGIN
  SELECT * INTO a FROM agents WHERE agent_id = agent FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  visible := coalesce(wanted, a.visibility);
  SELECT r.score, r.earned_badge, r.has_critical, r.rubric_version, r.verified_at INTO report
    FROM trust_reports r WHERE r.agent_id = agent AND r.counts ORDER BY r.sequence DESC LIMIT 1;
  SELECT * INTO bond FROM bond_standing(a.developer_user_id);
  PERFORM agent_reasons_refresh(agent, coalesce(report.has_critical, false), bond);
  fit := a.status = 'active' AND a.serving_version_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM agent_hidden_reasons h WHERE h.agent_id = agent AND h.hides);
  now_listed := fit AND visible = 'public';
  new_badge := CASE WHEN fit THEN badge_capped(report.earned_badge, bond.tier) END;
  IF (a.badge, a.trust_score, a.listed, a.visibility) IS NOT DISTINCT FROM (new_badge, report.score, now_listed, visible) THEN
    RETURN;
  END IF;
  UPDATE agents SET badge = new_badge, trust_score = report.score, listed = now_listed, visibility = visible, updated_at = now(),
      live_at = CASE WHEN serving_version_id IS NULL THEN live_at ELSE coalesce(live_at, now()) END
    WHERE agent_id = agent;
  IF visible = 'public' OR a.listed THEN
    INSERT INTO listing_changes (agent_id, badge, trust_score, listed, was_listed)
      VALUES (agent, CASE WHEN visible = 'public' THEN new_badge END, CASE WHEN visible = 'public' THEN report.score END,
        now_listed, a.listed) RETURNING change_id INTO change;
    PERFORM pg_notify('listing_change', change::text);
  END IF;
  IF report.score IS DISTINCT FROM a.trust_score AND report.score IS NOT NULL THEN
    PERFORM event_record('trust_score.updated', jsonb_build_object('agent_id', agent, 'slug', a.slug,
        'score', report.score, 'previous_score', a.trust_score, 'badge', new_badge, 'previous_badge', a.badge,
        'rubric_version', report.rubric_version, 'verified_at', iso_time(report.verified_at)),
      ARRAY[a.developer_user_id], agent, visible = 'public' AND (now_listed OR a.listed));
  END IF;
  IF visible <> 'public' OR a.visibility <> 'public' THEN RETURN; END IF;
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

REVOKE ALL ON FUNCTION agent_standing_write FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION agent_standing_write TO market_app;
