import { credits, type ExportedList } from './exported-list';

/** The account itself, its access, its settings and the notices that it received. */
export const ACCOUNT_LISTS: readonly ExportedList[] = [
  {
    name: 'profile',
    about: 'The account.',
    sql: `SELECT user_id, email, email_confirmed_at, pending_email, display_name, role, developer_id,
                 registration_paid_at, authenticator_since, time_zone, keep_days, created_at
            FROM users WHERE user_id = $1`,
  },
  {
    name: 'billing_details',
    about: 'What invoices name beside the account.',
    sql: `SELECT company, address, country, tax_number, receipts_email, reference, updated_at
            FROM billing_details WHERE user_id = $1`,
  },
  {
    name: 'sessions',
    about: 'Logins that have not ended.',
    sql: `SELECT to_timestamp((sess ->> 'startedAt')::float8 / 1000) AS started_at, sess ->> 'userAgent' AS user_agent,
                 sess ->> 'network' AS network, expire AS expires_at
            FROM sessions WHERE sess -> 'passport' ->> 'user' = $1 ORDER BY expire`,
  },
  {
    name: 'company_logins',
    about: 'Persons at identity providers of organisations who log in to the account',
    sql: 'SELECT provider_id, subject, linked_at FROM sso_identities WHERE user_id = $1 ORDER BY provider_id',
  },
  {
    name: 'login_places',
    about: 'Networks from which the account logged in.',
    sql: 'SELECT network, first_at, last_at FROM login_places WHERE user_id = $1 ORDER BY first_at, network',
  },
  {
    name: 'signs',
    about: 'Hashes of what says that accounts belong to one hand (docs/related-accounts.md).',
    sql: 'SELECT kind, value, first_at, last_at FROM owner_signs WHERE user_id = $1 ORDER BY kind, value',
  },
  {
    name: 'api_keys',
    about: 'API keys and their limits, without their secrets. Those of the kind oauth belong to grants.',
    sql: `SELECT key_id, kind, name, scopes, hint, parent_key_id, ${credits('credit_cap_units', 'credit_cap')}, cap_window,
                 ${credits('call_cap_units', 'call_cap')}, ${credits('spent_units', 'spent_credits')}, least_trust,
                 only_agents, pinned_agents, expires_at, created_at, last_used_at, deleted_at
            FROM api_keys WHERE user_id = $1 ORDER BY key_id`,
  },
  {
    name: 'oauth_grants',
    about: 'Applications that may act for the account.',
    sql: `SELECT g.grant_id, g.key_id, g.client_id, c.name AS client_name, g.redirect_host, g.agent_id, g.created_at
            FROM oauth_grants g LEFT JOIN oauth_clients c ON c.client_id = g.client_id
           WHERE g.user_id = $1 ORDER BY g.created_at, g.grant_id`,
  },
  {
    name: 'mandate_keys',
    about: 'Public keys that sign mandates.',
    sql: 'SELECT kid, name, public_jwk, created_at FROM mandate_keys WHERE user_id = $1 ORDER BY created_at, kid',
  },
  {
    name: 'mandates',
    about: 'Mandates that the account issued and that were used.',
    sql: `SELECT mandate_id, jti, root_jti, parent_id, subject, kid, ${credits('max_units', 'max_credits')},
                 ${credits('max_call_units', 'max_call_credits')}, max_occurrences, payees, not_before, expires_at,
                 ${credits('spent_units', 'spent_credits')}, occurrences, first_used_at
            FROM mandates WHERE issuer_user_id = $1 ORDER BY seq`,
  },
  {
    name: 'mandate_revocations',
    about: 'Mandates that the account revoked.',
    sql: 'SELECT mandate_id, revoked_at FROM mandate_revocations WHERE issuer_user_id = $1 ORDER BY mandate_id',
  },
  {
    name: 'webhooks',
    about: 'Webhooks with their addresses, without their secrets.',
    sql: `SELECT webhook_id, types, agent_id, encode(sealed, 'base64') AS sealed, disabled_at, disabled_reason, created_at,
                 updated_at FROM webhooks WHERE user_id = $1 ORDER BY webhook_id`,
    sealed: 'webhook',
  },
  {
    name: 'notices',
    about: 'Notices of the account.',
    sql: 'SELECT notice_id, type, agent_id, data, at, read_at FROM account_notices WHERE user_id = $1 ORDER BY notice_id',
  },
  {
    name: 'developer_notices',
    about: 'Notices about bonds, slashes and findings.',
    sql: `SELECT notice_id, kind, slash_id, agent_id, data, at FROM developer_notices
           WHERE developer_user_id = $1 ORDER BY notice_id`,
  },
  {
    name: 'mail_settings',
    about: 'Topics of mails that are switched off.',
    sql: 'SELECT off FROM mail_settings WHERE user_id = $1',
  },
  {
    name: 'shared_agents',
    about: 'Private agents of others that the account sees.',
    sql: 'SELECT agent_id, added_at FROM agent_audience WHERE owner_id = $1 ORDER BY added_at, agent_id',
  },
  {
    name: 'access_requests',
    about: 'Requests of the account to see private agents of others.',
    sql: `SELECT request_id, agent_id, reason, state, asked_at, decided_at FROM agent_access_requests
           WHERE owner_id = $1 ORDER BY request_id`,
  },
  {
    name: 'favourites',
    about: 'Agents that are marked as favourites.',
    sql: 'SELECT agent_id, added_at FROM favourites WHERE user_id = $1 ORDER BY added_at, agent_id',
  },
  {
    name: 'audit',
    about: 'What operators did to the account.',
    sql: `SELECT action_id, action, reason, details, created_at FROM operator_actions
           WHERE subject = $1 ORDER BY action_id`,
  },
  {
    name: 'exports',
    about: 'Exports that were requested before this one.',
    sql: `SELECT export_id, state, requested_at, ended_at, bytes, sha256 FROM account_exports
           WHERE user_id = $1 ORDER BY export_id`,
  },
];
