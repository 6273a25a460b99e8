-- Operators find accounts by a part of a name or an address and by the end of an API key, and list accounts by role
-- (ADR 0265).

-- migrate:up

CREATE INDEX users_search ON users USING gin (text_grams(account_text(display_name, email, developer_id)));
CREATE INDEX users_role ON users (role, user_id DESC);
CREATE INDEX api_keys_hint ON api_keys (hint) WHERE hint IS NOT NULL;
CREATE INDEX payouts_week ON payouts (as_of, payout_id DESC);
CREATE INDEX agents_not_active ON agents (status, agent_id) WHERE status <> 'active';

-- migrate:down

-- The functions of users_search, which are dropped first, take the index with them.
DROP INDEX IF EXISTS users_search;
DROP INDEX users_role, api_keys_hint, payouts_week, agents_not_active;
