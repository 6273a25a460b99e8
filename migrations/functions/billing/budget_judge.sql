-- Judges a paid call by the credit caps of its API key and of the key that made it (parent), and by the budgets of the account
-- that count it, with that of the member who makes it (null for none). A call without any of them needs no judgement. outcome is
-- null for a call that keeps all of them; budget_ids then names the budgets. left_units and budget are the facts of a refusal,
-- and decided_at is when the call is accepted to the windows. With a cap of its key alone it is one statement.
-- Outcomes: credit_cap_exceeded | budget_exceeded.
-- Called by: invocation_decide.
-- Locks: none; its caller has locked the wallet.
CREATE OR REPLACE FUNCTION budget_judge(item jsonb, has_budgets boolean, price_units bigint, parent text, member text,
  OUT outcome text, OUT left_units bigint, OUT budget jsonb, OUT decided_at timestamptz, OUT budget_ids text[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  cap record;
BEGIN
  decided_at := now();
  IF has_budgets OR parent IS NOT NULL THEN
    FOR cap IN SELECT l.* FROM budget_limits(item ->> 'buyer_user_id', ARRAY[item ->> 'key_id', parent],
        ARRAY(SELECT t.key || '=' || t.value FROM jsonb_each_text(item -> 'metadata') t), member) l LOOP
      decided_at := cap.moment;
      IF cap.used_units + price_units > cap.cap_units THEN
        outcome := CASE WHEN cap.budget_id IS NULL THEN 'credit_cap_exceeded' ELSE 'budget_exceeded' END;
        left_units := cap.cap_units - cap.used_units;
        budget := jsonb_build_object('window', cap.cap_window, 'ends_at', cap.ends_at, 'budget_id', cap.budget_id,
          'tag', cap.tag, 'cap_units', cap.cap_units,
          'member', (SELECT u.display_name FROM users u WHERE u.user_id = cap.member_user_id),
          'organisation', (SELECT u.display_name FROM users u
            WHERE u.user_id = item ->> 'buyer_user_id' AND cap.member_user_id IS NOT NULL));
        RETURN;
      END IF;
      IF cap.budget_id IS NOT NULL THEN budget_ids := budget_ids || cap.budget_id; END IF;
    END LOOP;
  ELSE
    -- A transaction that began before midnight may come after one that has begun the next window; its call belongs there.
    SELECT m.moment, k.credit_cap_units - api_key_window_used(k, m.moment) INTO decided_at, left_units
      FROM api_keys k, LATERAL (SELECT greatest(now(), k.window_began_at)) m(moment) WHERE k.key_id = item ->> 'key_id';
    IF price_units > left_units THEN
      outcome := 'credit_cap_exceeded';
      budget := (SELECT jsonb_build_object('window', k.cap_window, 'ends_at', api_key_window_end(k, decided_at))
        FROM api_keys k WHERE k.key_id = item ->> 'key_id');
    ELSE
      left_units := NULL;
    END IF;
  END IF;
END $$;

REVOKE ALL ON FUNCTION budget_judge FROM PUBLIC, market_app;
