import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Schema } from '../api-schema';
import { verb, type VerbResult } from '../command-line';
import { connect, type GlobalOptions } from '../connect';
import { CliFailure, EXIT, usageFailure } from '../failure';
import { withAdvice } from '../terminal/ownership-text';
import { oneLine } from '../terminal/terminal-text';

type OwnAgent = Schema<'OwnAgent'>;
type OwnAgentDetail = Schema<'OwnAgentDetail'>;

const OWN_AGENTS = '/v1/developer/agents?limit=100';
const ENDS = ['live', 'rejected', 'superseded'];
const LOOK_EVERY_MS = 500;

/** `market agents wait`. */
export function addWait(agents: Command): void {
  agents
    .command('wait')
    .argument('<agent>', 'slug or agent id; need not exist yet')
    .option('--timeout <seconds>', 'how long to wait', '900')
    .description('waits until the newest version of one of your agents is live or rejected')
    .addHelpText(
      'after',
      `
Says on standard error what it waits for: an agent that does not exist yet, or the states of its version.
Exit 0: live; 1: rejected, with the reason; 4: not decided within --timeout.

Example:
  market agents wait word-counter`,
    )
    .action(
      verb((agent: string, _options, command: Command) =>
        waitFor(agent, command.optsWithGlobals<GlobalOptions & { timeout: string }>()),
      ),
    );
}

async function waitFor(agent: string, options: GlobalOptions & { timeout: string }): Promise<VerbResult> {
  const timeoutMs = Number(options.timeout) * 1_000;
  if (!(timeoutMs > 0))
    throw usageFailure(`--timeout must be a positive number of seconds, not ${options.timeout}`);
  const api = connect(options);
  let said = '';
  const say = (line: string) => {
    if (line !== said && !options.json) process.stderr.write(`${oneLine(line)}\n`);
    said = line;
  };
  for (const deadline = Date.now() + timeoutMs; ; await sleep(LOOK_EVERY_MS)) {
    const { items } = await api.call<{ items: OwnAgent[] }>('GET', OWN_AGENTS);
    const found = items.find(({ slug, agent_id }) => slug === agent || agent_id === agent);
    if (found && ENDS.includes(found.latest_version.status)) {
      const path = `/v1/developer/agents/${found.agent_id}`;
      return conclusion(found, await api.call<OwnAgentDetail>('GET', path));
    }
    const state = found
      ? `${found.agent_id} ${found.latest_version.version} is ${found.latest_version.status}`
      : missing(agent, items);
    if (Date.now() > deadline) throw new CliFailure(`${state} after ${options.timeout} s`, EXIT.later);
    say(`${state}: waiting, at most ${options.timeout} s`);
  }
}

/** Names the agents that exist: a slug with a typing error waits in vain. */
function missing(agent: string, items: readonly OwnAgent[]): string {
  const others = items.slice(0, 5).map(({ slug }) => slug);
  const known = others.length === 0 ? 'you have none yet' : `yours are ${others.join(', ')}`;
  return `no agent of yours is named ${agent} (${known}${items.length > 5 ? ', …' : ''})`;
}

function conclusion(agent: OwnAgent, detail: OwnAgentDetail): VerbResult {
  const { version, status, reject_reason: reason } = agent.latest_version;
  const isLive = status === 'live';
  const lines = [
    `${agent.agent_id} ${version} is ${status}${reason ? `: ${reason}` : '.'}`,
    ...(isLive ? [] : [`next: market findings list ${agent.agent_id}`]),
  ];
  return {
    text: withAdvice(lines.join('\n'), detail),
    json: agent,
    exitCode: isLive ? EXIT.done : EXIT.refused,
  };
}
