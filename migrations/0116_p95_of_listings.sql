-- The 95th percentile beside the median of a listing, so that agents can be compared (ADR 0256).

-- migrate:up

ALTER TABLE agent_stats ADD COLUMN p95_ms integer;
COMMENT ON COLUMN agent_stats.p95_ms IS 'Of the calls that were no jobs';

-- migrate:down

ALTER TABLE agent_stats DROP COLUMN p95_ms;
