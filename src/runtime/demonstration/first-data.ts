import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config';
import type { ApiClient } from './api-client';
import { BOND_CREDITS, type DemoPeople, ensureAccounts, ensureBuyer, ensureSellers } from './demo-accounts';
import { ensureAdvisories } from './demo-advisories';
import { ensureBelongings } from './demo-belongings';
import { demoInvocation, type DemoInvocation } from './demo-invocation';
import { ensureAgents } from './demo-publishing';
import { type History, startHistory } from './history/history';
import { DATABASE, serviceEnvironment } from '../environment';
import { postgresUrl } from '../postgres/postgres';
import { writePrivate } from '../processes/private-file';
import type { DemoUsers } from './console-links';
import type { PublishedAgent } from '../runtime-file';
import { urlsOf, type Stack } from '../stack';
import type { Terminal } from '../base/terminal.cjs';

/** The content of a started stack: the buyer's session, the published agents, and the first paid call. */
export interface FirstData {
  buyer: ApiClient;
  users: DemoUsers;
  agents: PublishedAgent[];
  invocation: DemoInvocation;
  /** Lines about the first paid call, for the terminal. Empty if an earlier start made it. */
  account: readonly string[];
}

/**
 * Creates accounts, credits and listings through the public API, and on the first start the history of the thirty days
 * before it. Every step first checks whether it is already done, so an interrupted start continues where it stopped.
 * The paid call is made once per home.
 */
export async function ensureFirstData(stack: Stack, terminal: Terminal): Promise<FirstData> {
  const done = join(stack.settings.home, 'first-run.json');
  const first = !existsSync(done);
  if (first) terminal.say(`\n  ${terminal.bold('First run')}`);
  const quiet: Terminal = { ...terminal, step: (_label, work) => work(() => undefined) };
  const shown = first ? terminal : quiet;
  const [people] = await Promise.all([ensureAccounts(stack, shown), ensureAdvisories(stack)]);
  const history = first && stack.settings.makesHistory ? await historyOf(stack) : undefined;
  const agents = await ensureMarket(stack, { people, history }, shown).finally(() => history?.close());
  const { buyer, developer } = people.clients;
  const data = { buyer, users: usersOf(people), agents };
  if (!first) {
    const invocation = JSON.parse(readFileSync(done, 'utf8')) as DemoInvocation;
    return { ...data, invocation, account: [] };
  }
  await terminal.step('credits', () => ensureBuyer(people));
  const account: string[] = [];
  const parties = { buyer, developer, agents };
  const invocation = await demoInvocation(stack, parties, {
    ...terminal,
    say: (line = '') => account.push(line),
  });
  writePrivate(done, invocation);
  return { ...data, invocation, account };
}

function historyOf(stack: Stack): Promise<History | undefined> {
  const { settings, ports, secrets } = stack;
  const superuser = { user: 'postgres', password: secrets.postgres.superuser, port: ports.postgres };
  const config = loadConfig(serviceEnvironment({ ...stack, home: settings.home }));
  const databaseUrl = urlsOf(stack).postgresApp;
  return startHistory(postgresUrl({ ...superuser, database: DATABASE }), { config, databaseUrl });
}

/** The sellers, their agents, and what has happened with them. */
async function ensureMarket(
  stack: Stack,
  { people, history }: { people: DemoPeople; history: History | undefined },
  terminal: Terminal,
): Promise<PublishedAgent[]> {
  await history?.open(people.users, BOND_CREDITS);
  await ensureSellers(people, terminal);
  const [agents] = await Promise.all([
    ensureAgents(stack, people, terminal),
    history && ensureBelongings(people, stack.agents),
  ]);
  if (history) await terminal.step('history', () => history.fill(people.users));
  return agents;
}

function usersOf({ users: { buyer, developer, operator } }: DemoPeople): DemoUsers {
  return { buyer, developer, operator };
}
