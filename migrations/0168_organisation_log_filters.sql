-- The log of an organisation by member and by operation: each page is read by an index, whatever the filter.

-- migrate:up

CREATE INDEX organisation_actions_by_person ON organisation_actions (org_id, person, entry_id DESC) WHERE person IS NOT NULL;
CREATE INDEX organisation_actions_by_action ON organisation_actions (org_id, action, entry_id DESC);

-- migrate:down

DROP INDEX organisation_actions_by_action;
DROP INDEX organisation_actions_by_person;
