import type { Schema } from '../api-schema';
import { organisationPath } from '../connect';
import type { ListRow, ShowRow } from '../row-verbs';
import { fieldsText } from '../terminal/pages';

const list = <T>(row: ListRow<T>) => row;
const yes = (value: boolean) => (value ? 'yes' : '');

/** The verbs that list what an organisation has, by the words behind `market orgs`. */
export const ORGANISATION_LISTS = {
  list: list<Schema<'Organisation'>>({
    about: 'lists the organisations of which you are a member',
    examples: ['market orgs list'],
    path: '/v1/organisations',
    login: true,
    isDefault: true,
    columns: {
      organisation: 'org_id',
      name: 'name',
      'your role': 'role',
      developer: 'developer_id',
      'needs a second factor': ({ require_second_factor: isRequired }) => yes(isRequired),
    },
  }),
  members: list<Schema<'Member'>>({
    about: 'lists the members of the organisation',
    examples: ['market orgs members', 'market orgs members --owner org_…'],
    path: (flags) => `${organisationPath(flags)}/members`,
    login: true,
    columns: {
      member: 'user_id',
      name: 'name',
      email: 'email',
      role: 'role',
      'authenticator app': ({ authenticator }) => yes(authenticator),
      'left to spend': ({ budget }) =>
        budget && `${budget.left_credits} of ${budget.credits} (${budget.window})`,
      since: ({ joined_at: at }) => at.slice(0, 10),
    },
  }),
  invitations: list<Schema<'Invitation'>>({
    about: 'lists the open invitations of the organisation, newest first',
    examples: ['market orgs invitations'],
    path: (flags) => `${organisationPath(flags)}/invitations`,
    login: true,
    columns: { invitation: 'invitation_id', email: 'email', role: 'role', 'ends at': 'expires_at' },
  }),
};

/** The columns of the log. */
export const LOG_COLUMNS = ['at', 'by', 'key', 'operation', 'outcome', 'about', 'from'] as const;
type LogEntry = Schema<'OrganisationLogEntry'>;
export const logRow = (entry: LogEntry): string[] => [
  entry.at,
  entry.email ?? entry.user_id ?? 'a key of the organisation',
  entry.key_id ?? '-',
  entry.operation,
  entry.outcome ?? '-',
  entry.subject,
  entry.network ?? '-',
];

export const SHOWN_ORGANISATION: ShowRow<Schema<'Organisation'>> = {
  about: 'prints the organisation, with your role in it',
  examples: ['market orgs show', 'market orgs show --owner org_… --json'],
  path: organisationPath,
  login: true,
};

export const SHOWN_RULES: ShowRow<Schema<'OrganisationRules'>> = {
  about: 'prints which agents the calls of the organisation may reach',
  examples: ['market orgs rules', 'market orgs rules --json'],
  path: (flags) => `${organisationPath(flags)}/rules`,
  login: true,
  text: (rules) => fieldsText(rules) || 'Every agent is permitted.',
};
