import type { Command } from 'commander';
import { verb } from '../command-line';
import { connectPerson, type GlobalOptions } from '../connect';
import { usageFailure } from '../failure';
import { addList } from '../row-verbs';
import { LISTS } from '../rows/lists';

const PATH = '/v1/oauth/grants';

/** `market grants …`: the clients that may call agents for you by OAuth (docs/oauth.md). */
export function grantVerbs(program: Command): void {
  const grants = program.command('grants').description('lists and revokes what OAuth clients may do for you');
  addList(grants, 'list', LISTS['grants list']);
  addChange(grants);
  addRevoke(grants);
}

interface ChangeOptions {
  creditCap?: string;
  window?: string;
  callCap?: string;
  minTrust?: string;
  agents?: string[];
  pin?: string[];
}

function addChange(grants: Command): void {
  grants
    .command('change')
    .argument('<grant>', 'grant id, ogr_…')
    .option('--credit-cap <credits>', 'most credits in each window, or none')
    .option('--window <window>', 'what the cap is for: day, week, month, or lifetime')
    .option('--call-cap <credits>', 'most credits of one call, or none')
    .option('--min-trust <score>', 'lowest trust score of an agent, or none')
    .option('--agents <ids...>', 'the only agents that may be called, or none')
    .option('--pin <ids...>', "agents that are tools of their own at the market's MCP server, or none")
    .description('changes what a client may spend for you, and on which agents, from the next call on')
    .addHelpText(
      'after',
      '\nExample:\n  market grants change ogr_… --credit-cap 200 --window week --call-cap 20\n  market grants change ogr_… --pin agt_pdf_parser_v1',
    )
    .action(
      verb(async (grantId: string, options: ChangeOptions, command: Command) => {
        const body = changeOf(options);
        if (Object.keys(body).length === 0) throw usageFailure('name at least one limit to change');
        const api = connectPerson(command.optsWithGlobals<GlobalOptions>());
        const grant = await api.call<object>('PATCH', `${PATH}/${encodeURIComponent(grantId)}`, body);
        return { text: `Changed ${grantId}.`, json: grant };
      }),
    );
}

function changeOf({
  creditCap,
  window,
  callCap,
  minTrust,
  agents,
  pin,
}: ChangeOptions): Record<string, unknown> {
  return {
    ...(creditCap !== undefined && { credit_cap: numberOf('--credit-cap', creditCap) }),
    ...(window !== undefined && { credit_cap_window: window }),
    ...(callCap !== undefined && { call_cap: numberOf('--call-cap', callCap) }),
    ...(minTrust !== undefined && { min_trust_score: numberOf('--min-trust', minTrust) }),
    ...(agents !== undefined && { agents: idsOf(agents) }),
    ...(pin !== undefined && { pinned_agents: idsOf(pin) }),
  };
}

const idsOf = (ids: string[]) => (ids.join(' ') === 'none' ? null : ids);

function numberOf(option: string, text: string): number | null {
  if (text === 'none') return null;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw usageFailure(`${option} takes a whole number, or none`);
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
        await api.call('DELETE', `${PATH}/${encodeURIComponent(grantId)}`);
        return { text: `Revoked ${grantId}.`, json: { grant_id: grantId, revoked: true } };
      }),
    );
}
