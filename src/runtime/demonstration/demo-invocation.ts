import type { ApiClient } from './api-client';
import { withClient } from '../postgres/database';
import { exampleInput } from './demo-agents';
import { waitUntil } from '../processes/processes';
import type { PublishedAgent } from '../runtime-file';
import { urlsOf, type Stack } from '../stack';
import type { Terminal } from '../base/terminal.cjs';
import { creditsText } from '../../domain/ledger/money';

/** The first paid call of a stack. It is saved, so that later starts can link to it. */
export interface DemoInvocation {
  invocation_id: string;
  agent_id: string;
}

interface InvokeAnswer {
  output: unknown;
  usage: { duration_ms: number; credits_charged: number };
  invocation_id: string;
}

interface Balances {
  buyer: number;
  developer: number;
  fees: number;
}

interface Parties {
  buyer: ApiClient;
  developer: ApiClient;
  agents: readonly PublishedAgent[];
}

const SHOWN_CHARACTERS = 220;

/**
 * Makes one real paid call and passes request, answer, charge, and the balances before and after it to `terminal.say`.
 */
export async function demoInvocation(
  stack: Stack,
  parties: Parties,
  terminal: Terminal,
): Promise<DemoInvocation> {
  const { say, dim, bold } = terminal;
  const agent = parties.agents[0];
  if (!agent) throw new Error('no demonstration agent is published');
  const input = await exampleInput(stack.agents, agent.slug);
  const before = await readBalances(stack, parties);
  const path = `/v1/agents/${agent.agent_id}/invoke`;
  say(`\n  ${bold('One paid call')}`);
  say(`    POST ${path}`);
  say(`    ${dim('→')} ${clip({ input })}`);
  const answer = await parties.buyer.call<InvokeAnswer>('POST', path, { input });
  say(`    ${dim('←')} ${clip({ output: answer.output })}`);
  const { credits_charged: charged, duration_ms: duration } = answer.usage;
  say(`    charged ${creditsText(charged)}, ${duration} ms, ${answer.invocation_id}`);
  let after = await readBalances(stack, parties);
  await waitUntil(async () => {
    after = await readBalances(stack, parties);
    return after.developer !== before.developer && after.fees !== before.fees;
  }, 2_000);
  showBalances(before, after, terminal);
  return { invocation_id: answer.invocation_id, agent_id: agent.agent_id };
}

async function readBalances(stack: Stack, { buyer, developer }: Parties): Promise<Balances> {
  const wallet = await buyer.call<{ available_credits: number }>('GET', '/v1/billing/balance');
  const earned = await developer.call<{ pending_payout_credits: number }>(
    'GET',
    '/v1/billing/developer/balance',
  );
  return {
    buyer: wallet.available_credits,
    developer: earned.pending_payout_credits,
    fees: await readFees(urlsOf(stack).postgresApp),
  };
}

/** The balance of the platform's fees account, in credits. The API does not show it, so it is read from the ledger. */
async function readFees(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ units: string }>(
      `SELECT balance_units AS units FROM account_balances WHERE kind = 'fees'`,
    );
    return Number(rows[0]?.units ?? 0) / 100;
  });
}

function showBalances(before: Balances, after: Balances, { say, dim }: Terminal): void {
  const row = (name: string, from: number, to: number) => {
    const moved = to - from;
    const sign = moved > 0 ? '+' : '';
    const [a, b] = [from.toFixed(2).padStart(10), to.toFixed(2).padStart(10)];
    say(`    ${name.padEnd(20)}${a} ${dim('→')}${b}   ${sign}${moved.toFixed(2)}`);
  };
  row('buyer', before.buyer, after.buyer);
  row('developer payable', before.developer, after.developer);
  row('platform fees', before.fees, after.fees);
}

function clip(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)} …` : text;
}
