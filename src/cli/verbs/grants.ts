import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb } from '../command-line';
import { connectPerson, findAgent, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { idsOf, limitBody, type LimitOptions, withLimits as withKeyLimits } from './key-limits';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';
import { fieldsText } from '../terminal/pages';
import { wholeNumber } from './api-keys';

const PATH = '/v1/oauth/grants';
const grantPath = (grantId: string) => `${PATH}/${encodeURIComponent(grantId)}`;

/** `market grants …`: applications and programs that may call agents for you by OAuth (docs/oauth.md). */
export function grantVerbs(program: Command): void {
  const grants = program
    .command('grants')
    .description('manages what applications and programs may do for you by OAuth');
  addList(grants, 'list', LISTS['grants list']);
  addCreate(grants);
  addChange(grants);
  addRotate(grants);
  addRevoke(grants);
}

interface ChangeOptions extends LimitOptions {
  pin?: string[];
}

type Issued = Schema<'IssuedOAuthProgram'>;

const withLimits = (command: Command) =>
  withKeyLimits(command).option(
    '--pin <ids...>',
    "agents that are tools of their own at the market's MCP server, or none",
  );

function addCreate(grants: Command): void {
  withLimits(
    grants
      .command('create')
      .requiredOption('--name <name>', 'label of the program')
      .option('--agent <agent>', 'the only agent it may call, at its own MCP server; without: the market')
      .option('--scope <scopes...>', 'what it may do; without: call agents, read the balance, dispute'),
  )
    .description('registers a program that gets tokens by a secret, and prints the secret once')
    .addHelpText(
      'after',
      `
Only the secret is written to standard output, so that it can be piped to a secret store. The program sends it with its
client_id to POST /oauth/token, grant_type=client_credentials.

Examples:
  market grants create --name "night job" --credit-cap 200 --window day
  market grants create --name checker --agent agt_pdf_parser_v1 --credit-cap 50 --json`,
    )
    .action(
      verb(async (options: ChangeOptions & CreateOptions, command: Command) => {
        const all = command.optsWithGlobals<GlobalOptions>();
        const api = connectPerson(all);
        const { name, agent, scope } = options;
        const body = {
          name,
          ...(agent !== undefined && { agent_id: await findAgent(api, agent) }),
          ...(scope !== undefined && { scopes: scope }),
          ...changeOf(options),
        };
        return issued(await api.call<Issued>('POST', PATH, body), all);
      }),
    );
}

interface CreateOptions {
  name: string;
  agent?: string;
  scope?: string[];
}

function addChange(grants: Command): void {
  withLimits(grants.command('change').argument('<grant>', 'grant id, ogr_…'))
    .description('changes what a client may spend for you, and on which agents, from the next call on')
    .addHelpText(
      'after',
      '\nExamples:\n  market grants change ogr_… --credit-cap 200 --window week --call-cap 20\n  market grants change ogr_… --pin agt_pdf_parser_v1',
    )
    .action(
      verb(async (grantId: string, options: ChangeOptions, command: Command) => {
        const body = changeOf(options);
        if (Object.keys(body).length === 0) throw usageFailure('name at least one limit to change');
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const grant = await api.call<object>('PATCH', grantPath(grantId), body);
        return { text: `Changed ${grantId}.`, json: grant };
      }),
    );
}

function addRotate(grants: Command): void {
  grants
    .command('rotate')
    .argument('<grant>', 'grant id of a program, ogr_…')
    .option('--grace-seconds <seconds>', 'how long the old secret stays valid; default 0')
    .description('replaces the secret of a program, prints it once, and gives its grant a year more')
    .addHelpText('after', '\nExample:\n  market grants rotate ogr_… --grace-seconds 3600')
    .action(
      verb(async (grantId: string, options: { graceSeconds?: string }, command: Command) => {
        const all = command.optsWithGlobals<GlobalOptions>();
        const { graceSeconds: grace } = options;
        const body = grace === undefined ? {} : { grace_seconds: wholeNumber('--grace-seconds', grace) };
        return issued(
          await connectPerson(all).call<Issued>('POST', `${grantPath(grantId)}/rotate`, body),
          all,
        );
      }),
    );
}

/** Prints the secret alone on standard output and the other fields on standard error. */
function issued({ client_secret, ...rest }: Issued, { json }: GlobalOptions) {
  if (!json) process.stderr.write(`${fieldsText(rest)}\n`);
  return { text: client_secret, json: { ...rest, client_secret } };
}

function changeOf({ pin, ...limits }: ChangeOptions): Record<string, unknown> {
  return { ...limitBody(limits), ...(pin !== undefined && { pinned_agents: idsOf(pin) }) };
}

function addRevoke(grants: Command): void {
  grants
    .command('revoke')
    .argument('<grant>', 'grant id, ogr_…')
    .description('revokes a grant; the next request with its tokens is refused')
    .addHelpText('after', '\nExample:\n  market grants revoke ogr_…')
    .action(
      verb(async (grantId: string, _options, command: Command) => {
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        await api.call('DELETE', grantPath(grantId));
        return { text: `Revoked ${grantId}.`, json: { grant_id: grantId, revoked: true } };
      }),
    );
}
