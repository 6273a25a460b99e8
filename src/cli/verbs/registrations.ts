import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { groupOf, verb } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { readJsonArgument } from '../terminal/json-argument';
import { recordResult } from '../terminal/pages';
import { addShow } from '../row-verbs';
import { SHOWS } from '../rows/shows';

const JSON_HELP = 'JSON, @file, or - for standard input';

/** `market agents register | registration | change`: self-hosted agents by their endpoint (docs/self-hosted.md). */
export function registrationVerbs(program: Command): void {
  const agents = groupOf(program, 'agents');
  agents
    .command('register')
    .argument('<registration>', JSON_HELP)
    .description('registers a self-hosted agent by its endpoint, and submits it for verification')
    .option('--draft', 'stores version 1.0.0 as a draft, which is verified when it is submitted')
    .addHelpText(
      'after',
      `
Submit a draft with: market api POST /v1/developer/agents/<agent id>/versions/1.0.0/submit

Examples:
  market agents register @registration.json
  market agents register @registration.json --draft`,
    )
    .action(
      verb(async (registration: string, _options, command: Command) => {
        const { draft, ...options } = command.optsWithGlobals<GlobalOptions & { draft?: boolean }>();
        const api = connect(options);
        const body = await readJsonArgument(registration, 'the registration');
        const asked = draft ? { ...body, submit: false } : body;
        return recordResult(await api.call<object>('POST', '/v1/agents/register', asked));
      }),
    );
  addShow(agents, 'registration', SHOWS['agents registration']);
  agents
    .command('change')
    .argument('<agent>', 'agent id or slug')
    .argument('<change>', `the fields to change: ${JSON_HELP}`)
    .option('--totp <code>', 'for a change of x402.pay_to: a code of your authenticator app, if you have one')
    .description('changes the registration of one of your self-hosted agents')
    .addHelpText(
      'after',
      `
Fields that are left out keep their values; null removes a field. What buyers read, a new endpoint, price or schema is
verified first, while the old version serves. A new x402.pay_to needs a login, not an API key. Use a file for a
credential: other users of the machine can see arguments.

Examples:
  market agents change invoice-reader '{"access_config": {"price_per_call_units": 300}}'
  market agents change invoice-reader '{"timeout_ms": 120000}'
  market agents change invoice-reader @change.json`,
    )
    .action(
      verb(async (agent: string, change: string, _options, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions & { totp?: string }>();
        const api = connect(options);
        const code = options.totp !== undefined && { totp_code: options.totp };
        const body = { ...(await readJsonArgument(change, 'the change')), ...code };
        return recordResult(await api.call<object>('PATCH', await pathOf(api, agent), body));
      }),
    );
}

const pathOf = async (api: MarketApi, agent: string) =>
  `/v1/agents/${encodeURIComponent(await findAgent(api, agent))}/registration`;
