-- Agents that developers register by their A2A agent card (ADR 0342).

-- migrate:up

ALTER TABLE agents DROP CONSTRAINT agents_kind_check;
ALTER TABLE agents ADD CONSTRAINT agents_kind_check CHECK (kind IN ('manifest', 'http', 'mcp', 'a2a'));

-- migrate:down

-- Agents that are there stay: an earlier release calls none of them, for it knows no such kind.
ALTER TABLE agents DROP CONSTRAINT agents_kind_check;
ALTER TABLE agents ADD CONSTRAINT agents_kind_check CHECK (kind IN ('manifest', 'http', 'mcp')) NOT VALID;
