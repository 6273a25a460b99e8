-- A job whose agent was silent for too long is given up under the lock that its answer takes, so that an answer that was
-- accepted is never refunded.

-- migrate:up

ALTER TABLE jobs ADD COLUMN given_up_at timestamptz;
COMMENT ON COLUMN jobs.given_up_at IS 'When its time was found to be over, or its agent silent; nothing is accepted of it since';

-- migrate:down

DROP FUNCTION IF EXISTS job_give_up(text);
ALTER TABLE jobs DROP COLUMN given_up_at;
