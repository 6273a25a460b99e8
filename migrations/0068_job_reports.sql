-- The same report of a job counts once, also when it is sent twice; and what is sealed of a job takes part in the rotation
-- of keys.

-- migrate:up

ALTER TABLE jobs ADD COLUMN heard_webhook text CHECK (length(heard_webhook) BETWEEN 1 AND 255);
COMMENT ON COLUMN jobs.heard_webhook IS 'The webhook id of the last report';
DROP FUNCTION IF EXISTS job_heard(text, real, bytea);
GRANT UPDATE (location, message) ON jobs TO market_app;
GRANT UPDATE (body) ON job_ends TO market_app;

-- migrate:down

REVOKE UPDATE (location, message) ON jobs FROM market_app;
REVOKE UPDATE (body) ON job_ends FROM market_app;
ALTER TABLE jobs DROP COLUMN heard_webhook;
DROP FUNCTION IF EXISTS job_heard(text, text, real, bytea);
