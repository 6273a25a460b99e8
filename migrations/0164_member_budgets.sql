-- Budgets of the members of an organisation, and what each member spent (ADR 0400).

-- migrate:up

ALTER TABLE budgets
  ADD COLUMN member_user_id text,
  DROP CONSTRAINT budgets_user_id_tag_cap_window_key,
  ADD CONSTRAINT budgets_one_each UNIQUE NULLS NOT DISTINCT (user_id, member_user_id, tag, cap_window),
  ADD CONSTRAINT budgets_of_members FOREIGN KEY (user_id, member_user_id) REFERENCES organisation_members (org_id, user_id)
    ON UPDATE CASCADE ON DELETE CASCADE,
  ADD CONSTRAINT budgets_of_members_have_no_tag CHECK (member_user_id IS NULL OR tag IS NULL);
CREATE UNIQUE INDEX budgets_of_member ON budgets (user_id, member_user_id) WHERE member_user_id IS NOT NULL;
COMMENT ON COLUMN budgets.member_user_id IS
  'The member of the organisation whose calls count; it ends with the membership. Null: a budget of the account';

ALTER TABLE invocations ADD COLUMN member_user_id text;
ALTER TABLE archive.invocations ADD COLUMN member_user_id text;
CREATE OR REPLACE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
COMMENT ON COLUMN invocations.member_user_id IS
  'The member who made the call for an organisation: by a session, or by the key or grant that the member made. Null for others';

ALTER TABLE spend_days
  ADD COLUMN member_user_id text NOT NULL DEFAULT '',
  DROP CONSTRAINT spend_days_pkey,
  ADD CONSTRAINT spend_days_pkey PRIMARY KEY (buyer_user_id, day, agent_id, key_id, member_user_id);
COMMENT ON COLUMN spend_days.member_user_id IS 'Empty for calls that no member of an organisation made';
ALTER TABLE spend_tag_days
  ADD COLUMN member_user_id text NOT NULL DEFAULT '',
  DROP CONSTRAINT spend_tag_days_pkey,
  ADD CONSTRAINT spend_tag_days_pkey PRIMARY KEY (buyer_user_id, day, tag, agent_id, key_id, member_user_id);

-- Their arguments or results have further members; those of a new database have them already.
DROP FUNCTION IF EXISTS budget_judge(jsonb, boolean, bigint, text);
DROP FUNCTION IF EXISTS budget_limits(text, text[], text[]);
DO $$ BEGIN
  IF (SELECT NOT 'member' = ANY (proargnames) FROM pg_proc WHERE oid = to_regprocedure('invocation_decide(jsonb)')) THEN
    DROP FUNCTION invocation_decide(jsonb);
  END IF;
END $$;

-- migrate:down

DROP FUNCTION IF EXISTS invocation_decide(jsonb);
DROP FUNCTION IF EXISTS budget_judge(jsonb, boolean, bigint, text, text);
DROP FUNCTION IF EXISTS budget_limits(text, text[], text[], text);
DROP FUNCTION IF EXISTS member_budget_set(text, text, text, bigint, text);

CREATE TEMPORARY TABLE summed ON COMMIT DROP AS SELECT buyer_user_id, day, agent_id, key_id, sum(calls)::bigint AS calls,
  sum(charged_units)::bigint AS charged_units FROM spend_days GROUP BY 1, 2, 3, 4;
TRUNCATE spend_days;
ALTER TABLE spend_days DROP CONSTRAINT spend_days_pkey, DROP COLUMN member_user_id,
  ADD CONSTRAINT spend_days_pkey PRIMARY KEY (buyer_user_id, day, agent_id, key_id);
INSERT INTO spend_days (buyer_user_id, day, agent_id, key_id, calls, charged_units)
  SELECT buyer_user_id, day, agent_id, key_id, calls, charged_units FROM summed;
CREATE TEMPORARY TABLE tags_summed ON COMMIT DROP AS SELECT buyer_user_id, day, tag, agent_id, key_id,
  sum(calls)::bigint AS calls, sum(charged_units)::bigint AS charged_units FROM spend_tag_days GROUP BY 1, 2, 3, 4, 5;
TRUNCATE spend_tag_days;
ALTER TABLE spend_tag_days DROP CONSTRAINT spend_tag_days_pkey, DROP COLUMN member_user_id,
  ADD CONSTRAINT spend_tag_days_pkey PRIMARY KEY (buyer_user_id, day, tag, agent_id, key_id);
INSERT INTO spend_tag_days (buyer_user_id, day, tag, agent_id, key_id, calls, charged_units)
  SELECT buyer_user_id, day, tag, agent_id, key_id, calls, charged_units FROM tags_summed;
DROP TABLE summed, tags_summed;

DROP VIEW all_invocations;
ALTER TABLE archive.invocations DROP COLUMN member_user_id;
ALTER TABLE invocations DROP COLUMN member_user_id;
CREATE VIEW all_invocations AS SELECT * FROM invocations UNION ALL SELECT * FROM archive.invocations;
GRANT SELECT ON all_invocations TO market_app;

-- The release before would take the budget of a member for one of all calls.
DELETE FROM budgets WHERE member_user_id IS NOT NULL;
DROP INDEX budgets_of_member;
ALTER TABLE budgets DROP CONSTRAINT budgets_one_each, DROP CONSTRAINT budgets_of_members,
  DROP CONSTRAINT budgets_of_members_have_no_tag, DROP COLUMN member_user_id,
  ADD CONSTRAINT budgets_user_id_tag_cap_window_key UNIQUE NULLS NOT DISTINCT (user_id, tag, cap_window);
