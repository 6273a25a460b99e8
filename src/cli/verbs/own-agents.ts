import type { Schema } from '../api-schema';
import type { Command } from 'commander';
import type { MarketApi } from '../api-client';
import { groupOf, verb, type VerbResult } from '../command-line';
import { connect, findAgent, type GlobalOptions } from '../connect';
import { wholeNumber } from './api-keys';
import { withAdvice } from '../terminal/ownership-text';
import { ownAgentText } from '../terminal/own-agent-text';
import { recordResult } from '../terminal/pages';
import { addList, addShow } from '../row-verbs';
import { CASE_LISTS } from '../rows/case-lists';
import { LISTS } from '../rows/lists';
import { SHOWS } from '../rows/shows';
import { addWait } from './wait-for-agent';

type OwnAgentDetail = Schema<'OwnAgentDetail'>;

/** The verbs of `market agents` for developers. */
export function ownAgentVerbs(program: Command): void {
  const agents = groupOf(program, 'agents').description(
    'shows and manages your agents; operators suspend and reinstate agents',
  );
  addList(agents, 'list', LISTS['agents list']);
  addOne(
    agents,
    'show',
    'prints one of your agents; --json adds its manifest and its signing secret',
    showOwn,
  );
  addShow(agents, 'usage', SHOWS['agents usage']);
  addShow(agents, 'score', SHOWS['agents score']);
  addShow(agents, 'tools', SHOWS['agents tools']);
  addOne(agents, 'reverify', 'starts another verification of the serving version', (api, path) =>
    recordOf(api.call<object>('POST', `${path}/reverify`)),
  );
  addRotateSecret(agents);
  addOne(agents, 'retire', 'removes the agent from the marketplace for good', (api, path) =>
    recordOf(api.call<object>('POST', `${path}/retire`)),
  );
  addWait(agents);
  addList(agents, 'versions', LISTS['agents versions']);
  // Its name before there was a group of its own.
  addList(agents, 'findings', { ...CASE_LISTS['findings list'], isHidden: true });
  addList(agents, 'calls', LISTS['agents calls']);
}

async function pathOf(api: MarketApi, agent: string): Promise<string> {
  return `/v1/developer/agents/${encodeURIComponent(await findAgent(api, agent))}`;
}

async function recordOf(record: Promise<object | undefined>): Promise<VerbResult> {
  return recordResult((await record) ?? {});
}

interface RotateOptions extends GlobalOptions {
  graceSeconds?: string;
}

function addRotateSecret(agents: Command): void {
  agents
    .command('rotate-secret')
    .argument('<agent>', 'agent id or slug')
    .option('--grace-seconds <seconds>', 'how long the old secret signs too; default 86400')
    .description('replaces the secret that signs the calls to one of your agents, and prints the new one')
    .addHelpText(
      'after',
      '\nExample:\n  market agents rotate-secret agt_word_counter_v1 --grace-seconds 3600',
    )
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const options = command.optsWithGlobals<RotateOptions>();
        const { graceSeconds } = options;
        const api = connect(options);
        const body =
          graceSeconds === undefined ? {} : { grace_seconds: wholeNumber('--grace-seconds', graceSeconds) };
        return recordOf(api.call<object>('POST', `${await pathOf(api, agent)}/rotate-signing-secret`, body));
      }),
    );
}

/** The agent without its signing secret, which `--json` alone prints: terminals are recorded and shared. */
async function showOwn(api: MarketApi, path: string): Promise<VerbResult> {
  const agent = await api.call<OwnAgentDetail>('GET', path);
  return { text: withAdvice(ownAgentText(agent), agent), json: agent };
}

function addOne(
  agents: Command,
  name: string,
  description: string,
  run: (api: MarketApi, path: string) => Promise<VerbResult>,
): void {
  agents
    .command(name)
    .argument('<agent>', 'agent id or slug')
    .description(description)
    .addHelpText('after', `\nExample:\n  market agents ${name} agt_word_counter_v1`)
    .action(
      verb(async (agent: string, _options, command: Command) => {
        const api = connect(command.optsWithGlobals<GlobalOptions>());
        return run(api, await pathOf(api, agent));
      }),
    );
}
