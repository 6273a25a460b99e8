import type { ExportedList } from './exported-list';

/** What belongs to an organisation beside its account, and the organisations of a person. */
export const ORGANISATION_LISTS: readonly ExportedList[] = [
  {
    name: 'memberships',
    about: 'Organisations to which the person belongs.',
    sql: 'SELECT org_id, role, joined_at, invited_by FROM organisation_members WHERE user_id = $1 ORDER BY org_id',
  },
  {
    name: 'organisation',
    about: 'The settings of the organisation.',
    sql: `SELECT org_id, contact_email, require_second_factor, require_sso, created_by, created_at, converted_at
            FROM organisations WHERE org_id = $1`,
  },
  {
    name: 'members',
    about: 'Members of the organisation.',
    sql: `SELECT m.user_id, u.display_name, u.email, m.role, m.joined_at, m.invited_by
            FROM organisation_members m JOIN users u ON u.user_id = m.user_id WHERE m.org_id = $1 ORDER BY m.user_id`,
  },
  {
    name: 'organisation_rules',
    about: 'What its calls may reach.',
    sql: 'SELECT least_trust, only_listed FROM organisation_rules WHERE org_id = $1',
  },
  {
    name: 'organisation_allowed',
    about: 'The agents and developers that its rules list.',
    sql: 'SELECT allowed_id FROM organisation_allowed WHERE org_id = $1 ORDER BY allowed_id',
  },
  {
    name: 'invitations',
    about: 'Invitations of the organisation that wait.',
    sql: `SELECT invitation_id, email, role, invited_by, created_at, expires_at FROM organisation_invitations
           WHERE org_id = $1 ORDER BY invitation_id`,
  },
  {
    name: 'organisation_log',
    about: 'What members changed.',
    sql: `SELECT entry_id, person, key_id, action, subject, details, network, user_agent, outcome, created_at
            FROM organisation_actions WHERE org_id = $1 ORDER BY entry_id`,
  },
  {
    name: 'identity_providers',
    about: 'Identity providers of the organisation, without their secrets.',
    sql: `SELECT provider_id, name, issuer, client_id, default_role, enabled, created_at FROM identity_providers
           WHERE org_id = $1 ORDER BY provider_id`,
  },
  {
    name: 'identity_provider_domains',
    about: 'Domains of these providers.',
    sql: `SELECT d.provider_id, d.domain, d.created_at, d.verified_at FROM identity_providers p
            JOIN identity_provider_domains d ON d.provider_id = p.provider_id
           WHERE p.org_id = $1 ORDER BY d.provider_id, d.domain`,
  },
];
