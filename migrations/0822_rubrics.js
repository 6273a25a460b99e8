/**
 * How a rubric comes and takes effect: these functions are the only way. `as_of` is the clock of the workflow that
 * waits for the end of the comment period; the check of the table holds whatever it says.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Everything of a rubric that can change a score: all but its name and its texts.
  CREATE FUNCTION rubric_weights(document text) RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT document::jsonb - 'version' - 'texts'
  $$;

  CREATE FUNCTION rubric_in_effect() RETURNS rubrics
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT r FROM rubrics r WHERE r.effective_at IS NOT NULL ORDER BY r.effective_at DESC, r.sequence DESC LIMIT 1
  $$;

  -- The first rubric of a market, which comes with the code; does nothing where there is one.
  CREATE FUNCTION rubric_seed(rubric text, document text, changelog text) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
    IF EXISTS (SELECT FROM rubrics) THEN RETURN; END IF;
    INSERT INTO rubrics (version, document, changelog, weights_changed, published_at, comment_ends_at, effective_at,
        rolled_out_at)
      VALUES (rubric, document, changelog, false, now(), now(), now(), now());
  END $$;

  -- Announces a rubric. Null: there is one of that name, or a later one, or another waits for its end of comments.
  CREATE FUNCTION rubric_publish(rubric text, new_document text, new_changelog text, comment_days integer)
  RETURNS rubrics
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    changed boolean;
    made    rubrics;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
    IF EXISTS (SELECT FROM rubrics r WHERE string_to_array(r.version, '.')::int[] >= string_to_array(rubric, '.')::int[]
        OR (r.effective_at IS NULL AND r.withdrawn_at IS NULL)) THEN
      RETURN NULL;
    END IF;
    changed := rubric_weights(new_document) IS DISTINCT FROM rubric_weights((rubric_in_effect()).document);
    INSERT INTO rubrics (version, document, changelog, weights_changed, comment_ends_at)
      VALUES (rubric, new_document, new_changelog, changed,
        now() + greatest(comment_days, CASE WHEN changed THEN 30 ELSE 0 END) * interval '1 day')
      RETURNING * INTO made;
    RETURN made;
  END $$;

  -- True: it is in effect now, or was already. False: its comment period is not over, or it was withdrawn.
  CREATE FUNCTION rubric_adopt(rubric text, as_of timestamptz) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE r rubrics;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
    SELECT * INTO r FROM rubrics WHERE version = rubric FOR UPDATE;
    IF NOT FOUND OR r.withdrawn_at IS NOT NULL THEN RETURN false; END IF;
    IF r.effective_at IS NOT NULL THEN RETURN true; END IF;
    IF as_of < r.comment_ends_at THEN RETURN false; END IF;
    UPDATE rubrics SET effective_at = as_of WHERE version = rubric;
    RETURN true;
  END $$;

  -- True: it is withdrawn. False: it is in effect already, or there is none.
  CREATE FUNCTION rubric_withdraw(rubric text) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
    UPDATE rubrics SET withdrawn_at = coalesce(withdrawn_at, now())
      WHERE version = rubric AND effective_at IS NULL;
    RETURN FOUND;
  END $$;

  CREATE FUNCTION rubric_rolled_out(rubric text, as_of timestamptz) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE rubrics SET rolled_out_at = as_of WHERE version = rubric AND effective_at IS NOT NULL
  $$;

  -- Which agents a rollout has asked to verify anew.
  CREATE TABLE rubric_asks (
    version   text NOT NULL REFERENCES rubrics,
    agent_id  text NOT NULL REFERENCES agents,
    asked_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (version, agent_id)
  );

  REVOKE ALL ON FUNCTION rubric_seed, rubric_publish, rubric_adopt, rubric_withdraw, rubric_rolled_out FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION rubric_seed, rubric_publish, rubric_adopt, rubric_withdraw, rubric_rolled_out TO market_app;
  GRANT SELECT, INSERT ON rubric_asks TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE rubric_asks;
  DROP FUNCTION rubric_rolled_out, rubric_withdraw, rubric_adopt, rubric_publish, rubric_seed, rubric_in_effect, rubric_weights;
`);
