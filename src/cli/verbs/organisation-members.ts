import { Argument, type Command } from 'commander';
import { MEMBER_ROLES } from '../../domain/accounts/roles';
import type { MarketApi } from '../api-client';
import type { Schema } from '../api-schema';
import { verb, type VerbResult } from '../command-line';
import { apiAddress, connectPerson, type GlobalOptions, organisationPath } from '../connect';
import { CliFailure, usageFailure } from '../failure';
import { profileOf, readSessions, saveOwner } from '../login/session-file';
import { addList } from '../row-verbs';
import { LOG_COLUMNS, logRow, ORGANISATION_LISTS } from '../rows/organisation-rows';
import { listVerb, type Page, type PageOptions, withPages, withQuery } from '../terminal/pages';
import { saveVerb } from '../terminal/save-file';

export const MEMBER = ['<member>', 'id of a member, usr_…, or the email address'] as const;
const role = () => new Argument('<role>', 'what the member may do').choices(MEMBER_ROLES);

/** The verbs of `market orgs` about members, invitations and the log. */
export function addMemberVerbs(orgs: Command): void {
  addInvitations(orgs);
  addList(orgs, 'members', ORGANISATION_LISTS.members);
  addRole(orgs);
  addRemove(orgs);
  addLeave(orgs);
  addHandOver(orgs);
  addLog(orgs);
}

function addInvitations(orgs: Command): void {
  orgs
    .command('invite')
    .argument('<email>', 'the address; the link of the mail is valid for seven days, for this address only')
    .addArgument(role())
    .description('invites an address by mail; for owners and admins')
    .addHelpText('after', '\nExample:\n  market orgs invite grace@example.org finance')
    .action(
      verb(async (email: string, role: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const path = `${organisationPath(options)}/invitations`;
        const body = { email, role };
        const sent = await connectPerson(options).call<Schema<'Invitation'>>('POST', path, body);
        return { text: `Invited ${email} as ${role}, until ${sent.expires_at}.`, json: sent };
      }),
    );
  addList(orgs, 'invitations', ORGANISATION_LISTS.invitations);
  orgs
    .command('revoke')
    .argument('<invitation>', 'id of an invitation, oin_…')
    .description('revokes an invitation')
    .addHelpText('after', '\nExample:\n  market orgs revoke oin_…')
    .action(
      verb(async (id: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const path = `${organisationPath(options)}/invitations/${encodeURIComponent(id)}`;
        await connectPerson(options).call('DELETE', path);
        return { text: `Revoked ${id}.`, json: { invitation_id: id, revoked: true } };
      }),
    );
  orgs
    .command('accept')
    .argument('<token>', 'the token in the link of the mail')
    .description('accepts an invitation to an organisation')
    .addHelpText('after', '\nExample:\n  market orgs accept pKX0xO1b0Gd8Jw9mH4lqC0b2oYwz7uJtH6Xw3n1bV2E')
    .action(
      verb(async (token: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const path = '/v1/organisations/invitations/accept';
        const joined = await api.call<Schema<'Organisation'>>('POST', path, { token });
        const text = `You are a member of ${joined.name}, in the role ${joined.role}. Act for it: market orgs use ${joined.org_id}`;
        return { text, json: joined };
      }),
    );
}

function addRole(orgs: Command): void {
  orgs
    .command('role')
    .argument(...MEMBER)
    .addArgument(role())
    .description('gives a member another role; only owners decide about owners')
    .addHelpText('after', '\nExample:\n  market orgs role grace@example.org finance')
    .action(
      verb((member: string, role: string, _options, command: Command) =>
        withMember(command, member, async (api, path, id) => {
          await api.call('PATCH', `${path}/members/${id}`, { role });
          return { text: `${member} has the role ${role} now.`, json: { user_id: id, role } };
        }),
      ),
    );
}

function addRemove(orgs: Command): void {
  orgs
    .command('remove')
    .argument(...MEMBER)
    .description('removes a member; keys and grants that the member made for the organisation end at once')
    .addHelpText('after', '\nExample:\n  market orgs remove grace@example.org')
    .action(
      verb((member: string, _options, command: Command) =>
        withMember(command, member, async (api, path, id) => {
          await api.call('DELETE', `${path}/members/${id}`);
          return { text: `Removed ${member}.`, json: { user_id: id, removed: true } };
        }),
      ),
    );
}

function addLeave(orgs: Command): void {
  orgs
    .command('leave')
    .description('leaves the organisation; the verbs act for you again')
    .addHelpText('after', '\nExample:\n  market orgs leave --owner org_…')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const path = organisationPath(options);
        const api = connectPerson(options);
        const { user_id: id } = await api.call<Schema<'Profile'>>('GET', '/v1/auth/me');
        await api.call('DELETE', `${path}/members/${id}`);
        const [profile, url] = [profileOf(options), apiAddress(options)];
        const left = path.slice(path.lastIndexOf('/') + 1);
        const isUsed = readSessions(profile).sessions[url]?.owner?.id === left;
        if (isUsed) saveOwner(profile, url, undefined);
        const text = `You left ${left}.${isUsed ? ' The verbs act for you: your wallet pays.' : ''}`;
        return { text, json: { org_id: left, left: true } };
      }),
    );
}

function addHandOver(orgs: Command): void {
  orgs
    .command('handover')
    .argument(...MEMBER)
    .description('makes another member the owner in your place; you become an admin')
    .addHelpText('after', '\nExample:\n  market orgs handover grace@example.org')
    .action(
      verb((member: string, _options, command: Command) =>
        withMember(command, member, async (api, path, id) => {
          await api.call('POST', `${path}/hand-over`, { user_id: id });
          return { text: `${member} is the owner now, and you are an admin.`, json: { owner: id } };
        }),
      ),
    );
}

interface LogOptions extends PageOptions {
  member?: string;
  operation?: string;
  since?: string;
  until?: string;
  csv?: boolean;
  output?: string;
}

function addLog(orgs: Command): void {
  withPages(orgs.command('log'))
    .option('--member <user>', 'only what this member did, by user id')
    .option('--operation <name>', 'only one operation, such as createKey')
    .option('--since <time>', 'from this time on, such as 2026-11-16T00:00:00Z')
    .option('--until <time>', 'before this time')
    .option('--csv', 'saves the newest 10,000 entries as CSV')
    .option('--output <file>', 'with --csv, the file to write; default: log.csv')
    .description('lists what members changed, newest first; for owners and admins')
    .addHelpText(
      'after',
      '\nExamples:\n  market orgs log\n  market orgs log --operation createKey --since 2026-11-16T00:00:00Z\n  market orgs log --csv --output log.csv',
    )
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<LogOptions>();
        const { csv, output, member, operation, since, until } = options;
        const filter = { user_id: member, operation, since, until };
        if (output !== undefined && !csv) throw usageFailure('--output needs --csv');
        const path = `${organisationPath(options)}/log`;
        const api = connectPerson(options);
        if (csv) return saveVerb(api, withQuery(`${path}.csv`, filter), output ?? 'log.csv');
        return listVerb<Schema<'OrganisationLogEntry'>>(api, path, options, {
          head: LOG_COLUMNS,
          row: logRow,
          filter,
        });
      }),
    );
}

/** Runs a verb about a member of the organisation. */
export async function withMember(
  command: Command,
  member: string,
  run: (api: MarketApi, path: string, id: string) => Promise<VerbResult>,
): Promise<VerbResult> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const path = organisationPath(options);
  const api = connectPerson(options);
  return run(api, path, await memberId(api, path, member));
}

/** The id of a member. Throws `CliFailure` for an address of no member. */
async function memberId(api: MarketApi, path: string, member: string): Promise<string> {
  if (/^usr_[0-9a-f]{32}$/.test(member)) return member;
  if (!member.includes('@')) throw usageFailure(`${member} is neither an id (usr_…) nor an email address`);
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== null && { cursor }) });
    const page: Page<Schema<'Member'>> = await api.call('GET', `${path}/members?${query.toString()}`);
    const found = page.items.find(({ email }) => email.toLowerCase() === member.toLowerCase());
    if (found) return found.user_id;
    cursor = page.next_cursor;
  } while (cursor !== null);
  throw new CliFailure(`no member has the address ${member}: market orgs members`);
}
