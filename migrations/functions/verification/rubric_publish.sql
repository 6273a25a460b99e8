-- Announces a rubric, to every developer by a notice and an event. Returns null when there is one of that version or a
-- later one, or when another rubric is in its comment period. Changed weights have a comment period of at least 30
-- days, which a check of the table holds too.
-- Called by: src/stores/verification/rubrics.ts.
-- Locks: the advisory lock `rubrics`.
CREATE OR REPLACE FUNCTION rubric_publish(rubric text, new_document text, new_changelog text, comment_days integer,
  new_rfc_url text)
RETURNS rubrics
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  changed    boolean;
  made       rubrics;
  developers text[];
  said       jsonb;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
  IF EXISTS (SELECT FROM rubrics r WHERE string_to_array(r.version, '.')::int[] >= string_to_array(rubric, '.')::int[]
      OR (r.effective_at IS NULL AND r.withdrawn_at IS NULL)) THEN
    RETURN NULL;
  END IF;
  changed := rubric_weights(new_document) IS DISTINCT FROM rubric_weights((rubric_in_effect()).document);
  INSERT INTO rubrics (version, document, changelog, weights_changed, comment_ends_at, rfc_url)
    VALUES (rubric, new_document, new_changelog, changed,
      now() + greatest(comment_days, CASE WHEN changed THEN 30 ELSE 0 END) * interval '1 day', new_rfc_url)
    RETURNING * INTO made;
  said := jsonb_build_object('rubric_version', made.version, 'weights_changed', made.weights_changed,
    'comment_ends_at', event_time(made.comment_ends_at), 'rfc_url', made.rfc_url);
  SELECT array_agg(u.user_id) INTO developers FROM users u WHERE u.role = 'developer';
  PERFORM bond_notify(d.user_id, 'rubric_announced', NULL, NULL, said, made.published_at) FROM unnest(developers) d(user_id);
  PERFORM event_record('rubric.announced', said || jsonb_build_object('changelog', made.changelog,
    'announced_at', event_time(made.published_at)), developers);
  RETURN made;
END $$;

REVOKE ALL ON FUNCTION rubric_publish FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION rubric_publish TO market_app;
