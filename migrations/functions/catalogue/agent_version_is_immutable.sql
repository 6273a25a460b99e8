-- Checks that only the state and the times of a version change, and its former price once, and that its state moves as VERSION_TRANSITIONS of
-- src/domain/catalogue/version-state.ts allows.
-- Called by: trigger agent_version_is_immutable on agent_versions.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  mutable constant text[] := ARRAY['state', 'submitted_at', 'triggered_at', 'live_at', 'reject_reason', 'withdrawn_at',
    'price_effective_at', 'former_price',
    -- Generated ones, which a new row does not have yet.
    'search', 'search_words', 'search_text', 'search_grams'];
BEGIN
  -- account_erase replaces what the developer wrote.
  IF current_setting('market.erasing', true) IS DISTINCT FROM 'on' AND (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
    RAISE EXCEPTION 'a published version is immutable: %', OLD.version_id USING ERRCODE = '23514';
  END IF;
  IF OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at THEN
    RAISE EXCEPTION 'a withdrawn version stays withdrawn: %', OLD.version_id USING ERRCODE = '23514';
  END IF;
  IF OLD.price_effective_at IS NOT NULL
     AND (NEW.price_effective_at, NEW.former_price) IS DISTINCT FROM (OLD.price_effective_at, OLD.former_price) THEN
    RAISE EXCEPTION 'an announced price stays announced: %', OLD.version_id USING ERRCODE = '23514';
  END IF;
  IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
      'draft>submitted', 'draft>superseded', 'submitted>verifying', 'submitted>superseded', 'verifying>verified',
      'verifying>rejected', 'verifying>superseded', 'verified>live', 'verified>superseded', 'live>superseded',
      'rejected>submitted', 'rejected>superseded']) THEN
    RAISE EXCEPTION 'a version cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
