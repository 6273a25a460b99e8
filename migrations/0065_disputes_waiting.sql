-- The count of the disputes that wait for a developer's answer reads only those.

-- migrate:up

CREATE INDEX disputes_waiting ON disputes (developer_user_id) WHERE status = 'open';

-- migrate:down

DROP INDEX disputes_waiting;
