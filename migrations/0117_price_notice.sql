-- A higher price counts after a notice (ADR 0259). Until then a version that serves charges the price before it.

-- migrate:up

ALTER TABLE agent_versions ADD COLUMN price_effective_at timestamptz, ADD COLUMN former_price jsonb;
ALTER TABLE agent_versions ADD CONSTRAINT agent_versions_former_price
  CHECK ((price_effective_at IS NULL) = (former_price IS NULL));
COMMENT ON COLUMN agent_versions.price_effective_at IS
  'From when calls cost the price of this version, if that rose when it went live; null: since it is live';
COMMENT ON COLUMN agent_versions.former_price IS
  'What calls cost until then: pricing of a manifest, price_units as in the column, and price_usd of a registration in USD';

-- Their results have the column is_former now.
DO $$
DECLARE one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['invocation_accept(jsonb)', 'invocation_accept_permit(jsonb)', 'invocation_admit(jsonb, text)',
      'invocation_decide(jsonb)'] LOOP
    IF pg_get_function_arguments(to_regprocedure(one)) || pg_get_function_result(to_regprocedure(one)) NOT LIKE '%is_former%' THEN
      EXECUTE 'DROP FUNCTION ' || one;
    END IF;
  END LOOP;
END $$;

-- migrate:down

DROP FUNCTION IF EXISTS invocation_accept(jsonb);
DROP FUNCTION IF EXISTS invocation_accept_permit(jsonb);
DROP FUNCTION IF EXISTS invocation_admit(jsonb, text);
DROP FUNCTION IF EXISTS invocation_decide(jsonb);
ALTER TABLE agent_versions DROP CONSTRAINT agent_versions_former_price;
ALTER TABLE agent_versions DROP COLUMN former_price, DROP COLUMN price_effective_at;
