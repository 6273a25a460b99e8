-- Lists of tools that wait for a verification are counted for operators (ADR 0404).

-- migrate:up

CREATE INDEX tool_lists_candidates ON tool_lists (seen_at) WHERE state = 'candidate';

-- migrate:down

DROP INDEX tool_lists_candidates;
