import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { apiAddress, connectPerson, type GlobalOptions, organisationPath } from '../connect';
import { usageFailure } from '../failure';
import { ownerOf, ownerText, PERSONAL } from '../login/owner';
import { profileOf, readSessions, saveOwner } from '../login/session-file';
import { addList, addShow } from '../row-verbs';
import { ORGANISATION_LISTS, SHOWN_ORGANISATION } from '../rows/organisation-rows';
import { fieldsText } from '../terminal/pages';
import { oneLine } from '../terminal/terminal-text';
import { addMemberVerbs } from './organisation-members';
import { addSpendingVerbs } from './organisation-spending';
import { type PasswordOptions, readPassword } from './account-security';

type Organisation = Schema<'Organisation'>;

type Converted = Schema<'ConvertAccountResponse'>;

const PATH = '/v1/organisations';

/** `market orgs …`: your organisations, their members, and for whom the verbs act (docs/organisations.md). */
export function organisationVerbs(program: Command): void {
  const orgs = program
    .command('orgs')
    .description('manages your organisations, and chooses for whom the verbs act')
    .addHelpText(
      'after',
      `
The verbs are about the organisation of --owner, or else the one that "market orgs use" chose.`,
    );
  addUse(orgs);
  addList(orgs, 'list', ORGANISATION_LISTS.list);
  addShow(orgs, 'show', SHOWN_ORGANISATION);
  addCreate(orgs);
  addConvert(orgs);
  addChange(orgs);
  addMemberVerbs(orgs);
  addSpendingVerbs(orgs);
}

function addUse(orgs: Command): void {
  orgs
    .command('use')
    .argument('<owner>', `an organisation, org_…, or ${PERSONAL}: yourself`)
    .description('chooses for whom the verbs of this profile act, and whose wallet pays')
    .addHelpText('after', '\nExamples:\n  market orgs use org_…\n  market orgs use personal')
    .action(
      verb(async (word: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const [profile, url] = [profileOf(options), apiAddress(options)];
        const api = connectPerson({ ...options, owner: PERSONAL });
        const chosen = ownerOf({ owner: word }, undefined);
        if (!chosen) {
          // The session may have chosen an owner in another way.
          await api.call('PUT', '/v1/auth/owner', { owner: null });
          saveOwner(profile, url, undefined);
          return { text: 'The verbs act for you: your wallet pays.', json: { owner: null } };
        }
        const organisation = await api.call<Organisation>('GET', `${PATH}/${chosen.id}`);
        const { org_id: id, name, role } = organisation;
        saveOwner(profile, url, { id, name });
        const text = `The verbs act for ${oneLine(ownerText({ id, name }))} in the role ${role}: its wallet pays.`;
        return { text, json: { owner: organisation } };
      }),
    );
}

function addCreate(orgs: Command): void {
  orgs
    .command('create')
    .argument('<name>', 'the name of the organisation')
    .description('creates an organisation, of which you are the first owner')
    .addHelpText('after', '\nExample:\n  market orgs create "Analytical Engines"')
    .action(
      verb(async (name: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const made = await api.call<Organisation>('POST', PATH, { name });
        const text = `Created ${oneLine(made.name)} (${made.org_id}). Act for it: market orgs use ${made.org_id}`;
        return { text, json: made };
      }),
    );
}

function addConvert(orgs: Command): void {
  orgs
    .command('convert')
    .argument('<name>', 'the name of the organisation')
    .option('--password-stdin', 'read the password from standard input instead of prompting')
    .description('turns your account into an organisation, with its agents, credits and keys')
    .addHelpText(
      'after',
      `
This cannot be taken back. A new account with your address and password is the first owner.

Example:
  market orgs convert "Analytical Engines"`,
    )
    .action(
      verb(async (name: string, _options, command: Command) => {
        const options = command.optsWithGlobals<PasswordOptions>();
        const body = { name, password: await readPassword(options, 'Password') };
        const converted = await connectPerson(options).call<Converted>('POST', `${PATH}/convert`, body);
        const { org_id: id } = converted.organisation;
        const text = `Your account is the organisation ${oneLine(name)} (${id}) now, and you are ${converted.user_id}. Act for it: market orgs use ${id}`;
        return { text, json: converted };
      }),
    );
}

interface ChangeOptions extends GlobalOptions {
  name?: string;
  timeZone?: string;
  secondFactor?: string;
}

function addChange(orgs: Command): void {
  orgs
    .command('change')
    .option('--name <name>', 'another name')
    .option(
      '--time-zone <zone>',
      'IANA name, such as Europe/Berlin: the days and months of budgets begin in it',
    )
    .option('--second-factor <choice>', 'yes or no: members act for it only with an authenticator app')
    .description(
      'changes the name or the time zone of the organisation, or requires a second factor; for owners',
    )
    .addHelpText('after', '\nExample:\n  market orgs change --second-factor yes')
    .action(
      verb(async (_options, command: Command) => {
        const options = command.optsWithGlobals<ChangeOptions>();
        const { name, timeZone, secondFactor } = options;
        if (name === undefined && timeZone === undefined && secondFactor === undefined)
          throw usageFailure('pass --name, --time-zone or --second-factor');
        if (secondFactor !== undefined && secondFactor !== 'yes' && secondFactor !== 'no')
          throw usageFailure(`--second-factor is yes or no, not ${secondFactor}`);
        const path = organisationPath(options);
        const changed = await connectPerson(options).call<Organisation>('PATCH', path, {
          ...(name !== undefined && { name }),
          ...(timeZone !== undefined && { time_zone: timeZone }),
          ...(secondFactor !== undefined && { require_second_factor: secondFactor === 'yes' }),
        });
        const [profile, url] = [profileOf(options), apiAddress(options)];
        const isUsed = readSessions(profile).sessions[url]?.owner?.id === changed.org_id;
        if (isUsed) saveOwner(profile, url, { id: changed.org_id, name: changed.name });
        return { text: fieldsText(changed), json: changed };
      }),
    );
}
