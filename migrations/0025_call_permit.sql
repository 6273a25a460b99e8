-- An accepted call has its permit, so invocation_accept_permit no longer returns it.

-- migrate:up

DO $$
BEGIN
  IF pg_get_function_result(to_regprocedure('invocation_accept_permit(jsonb)')) LIKE '%permit%' THEN
    DROP FUNCTION invocation_accept_permit(jsonb);
  END IF;
END $$;

-- migrate:down

DROP FUNCTION IF EXISTS invocation_accept_permit(jsonb);
