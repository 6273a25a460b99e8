import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApiClient, type ApiClient } from './api-client';
import { demoInvocation, type DemoInvocation } from './demo-invocation';
import type { DemoAgent } from './demo-agents';
import { serviceEnvironment } from '../environment';
import { writePrivate } from '../processes/private-file';
import { waitUntil } from '../processes/processes';
import type { DemoUsers } from './console-links';
import type { PublishedAgent } from '../runtime-file';
import type { Account } from '../secrets';
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

interface Profile {
  user_id: string;
  role: string;
  registration_paid: boolean;
}

interface Listing {
  agent_id: string;
  slug: string;
  version: string;
  pricing: { credits_per_call?: number };
}

const REGISTRATION_CREDITS = 1_000;
const BUYER_CREDITS = 500;
const LIVE_MS = 60_000;
/** An agent that is registered by its endpoint alone, to show what buyers see then. */
const SELF_HOSTED = {
  slug: 'self-hosted-converter',
  endpointOf: 'unit-converter',
  name: 'Unit converter, self-hosted',
  vertical: 'units of measurement',
};

/**
 * Creates accounts, credits and listings through the public API. Every step first checks whether it is already done, so
 * an interrupted start continues where it stopped. The paid call is made once per home.
 */
export async function ensureFirstData(stack: Stack, terminal: Terminal): Promise<FirstData> {
  const done = join(stack.settings.home, 'first-run.json');
  const first = !existsSync(done);
  if (first) terminal.say(`\n  ${terminal.bold('First run')}`);
  const quiet: Terminal = { ...terminal, step: (_label, work) => work(() => undefined) };
  const shown = first ? terminal : quiet;
  const { buyer, developer, users } = await ensureAccounts(stack, shown);
  await ensureRegistration(developer, shown);
  const agents = await ensureAgents(stack, developer, shown);
  if (!first) {
    const invocation = JSON.parse(readFileSync(done, 'utf8')) as DemoInvocation;
    return { buyer, users, agents, invocation, account: [] };
  }
  await terminal.step('credits', () => ensureCredits(buyer));
  const account: string[] = [];
  const parties = { buyer, developer, agents };
  const invocation = await demoInvocation(stack, parties, {
    ...terminal,
    say: (line = '') => account.push(line),
  });
  writePrivate(done, invocation);
  return { buyer, users, agents, invocation, account };
}

async function ensureAccounts(
  stack: Stack,
  terminal: Terminal,
): Promise<{ buyer: ApiClient; developer: ApiClient; users: DemoUsers }> {
  const { api } = urlsOf(stack);
  const { accounts } = stack.secrets;
  const clients = {
    buyer: createApiClient(api),
    developer: createApiClient(api),
    operator: createApiClient(api),
  };
  const users: DemoUsers = { buyer: '', developer: '', operator: '' };
  await terminal.step('accounts', async () => {
    const buyer = await signIn(clients.buyer, accounts.buyer, 'buyer', 'Demo Buyer');
    const developer = await signIn(clients.developer, accounts.developer, 'developer', 'Demo Developer');
    const profile = await signIn(clients.operator, accounts.operator, 'buyer', 'Demo Operator');
    Object.assign(users, { buyer: buyer.user_id, developer: developer.user_id, operator: profile.user_id });
    if (profile.role !== 'operator') await grantOperator(stack, accounts.operator.email);
    return 'a developer, a buyer and an operator';
  });
  return { buyer: clients.buyer, developer: clients.developer, users };
}

async function signIn(
  client: ApiClient,
  account: Account,
  role: string,
  displayName: string,
): Promise<Profile> {
  const { status, body } = await client.attempt('POST', '/v1/auth/login', account);
  if (status === 200) return body as Profile;
  return client.call<Profile>('POST', '/v1/auth/register', { ...account, role, displayName });
}

async function grantOperator(stack: Stack, email: string): Promise<void> {
  const { root, home } = stack.settings;
  const command = join(root, 'dist/cli/market.js');
  const env = serviceEnvironment({ ...stack, home });
  await promisify(execFile)(process.execPath, [command, 'operator', 'grant', email], { cwd: root, env });
}

async function ensureRegistration(developer: ApiClient, terminal: Terminal): Promise<void> {
  const profile = await developer.call<Profile>('GET', '/v1/auth/me');
  if (profile.registration_paid) return;
  await terminal.step('registration', async () => {
    const { available_credits: has } = await developer.call<{ available_credits: number }>(
      'GET',
      '/v1/billing/balance',
    );
    const missing = REGISTRATION_CREDITS - has;
    if (missing > 0) {
      await developer.call('POST', '/v1/billing/topup', {
        amountPaise: Math.ceil(missing * 100),
        currency: 'INR',
      });
    }
    await developer.call('POST', '/v1/users/pay-registration');
    return `developer paid the one-time fee of ${REGISTRATION_CREDITS} credits`;
  });
}

async function ensureCredits(buyer: ApiClient): Promise<string> {
  const { available_credits: has } = await buyer.call<{ available_credits: number }>(
    'GET',
    '/v1/billing/balance',
  );
  if (has >= BUYER_CREDITS) return `buyer has ${has} credits`;
  await buyer.call('POST', '/v1/billing/topup', { amountPaise: BUYER_CREDITS * 100, currency: 'INR' });
  return `buyer topped up with ${BUYER_CREDITS} credits`;
}

async function ensureAgents(
  stack: Stack,
  developer: ApiClient,
  terminal: Terminal,
): Promise<PublishedAgent[]> {
  const published: PublishedAgent[] = [];
  await terminal.step('publish', async (detail) => {
    for (const agent of stack.agents) {
      detail(agent.slug);
      published.push(await ensureAgent(developer, agent));
    }
    detail(SELF_HOSTED.slug);
    published.push(await ensureSelfHosted(stack, developer));
    return published.map(({ agent_id: id, price_credits: price }) => `${id} (${price} credits)`).join(', ');
  });
  return published;
}

async function ensureAgent(developer: ApiClient, agent: DemoAgent): Promise<PublishedAgent> {
  const manifest = readManifest(agent);
  const bySlug = `/v1/listings/slug/${agent.slug}`;
  const listed = await developer.attempt('GET', bySlug);
  if (listed.status !== 200 || (listed.body as Listing).version !== manifest.version) {
    const answer = await developer.attempt('POST', '/v1/developer/agents', { manifest });
    if (answer.status !== 201 && answer.status !== 409) {
      throw new Error(`publishing ${agent.slug} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    await untilLive(developer, agent.slug, manifest.version);
  }
  return describeListing(await developer.call<Listing>('GET', bySlug));
}

/** Registers the endpoint of a demonstration agent a second time, without its manifest. */
async function ensureSelfHosted(stack: Stack, developer: ApiClient): Promise<PublishedAgent> {
  const { slug, endpointOf, ...registration } = SELF_HOSTED;
  const bySlug = `/v1/listings/slug/${slug}`;
  const listed = await developer.attempt('GET', bySlug);
  if (listed.status !== 200) {
    const url = stack.agents.find((agent) => agent.slug === endpointOf)?.url;
    if (url === undefined) throw new Error(`demonstration agent ${endpointOf} does not exist`);
    const answer = await developer.attempt('POST', '/v1/agents/register', {
      slug,
      ...registration,
      access_config: { endpoint_url: `${url}/invoke`, price_per_call_units: 50 },
    });
    if (answer.status !== 201 && answer.status !== 409) {
      throw new Error(`registering ${slug} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    await untilLive(developer, slug, '1.0.0');
  }
  return describeListing(await developer.call<Listing>('GET', bySlug));
}

async function untilLive(developer: ApiClient, slug: string, version: string): Promise<void> {
  const isLive = async () => {
    const { status, body } = await developer.attempt('GET', `/v1/listings/slug/${slug}`);
    return status === 200 && (body as Listing).version === version;
  };
  if (await waitUntil(isLive, LIVE_MS, 200)) return;
  throw new Error(`${slug} ${version} did not go live within ${LIVE_MS / 1_000} s`);
}

function describeListing({ agent_id, slug, pricing }: Listing): PublishedAgent {
  return { agent_id, slug, price_credits: pricing.credits_per_call ?? 0 };
}

/** The agent's manifest file, with the agent's local address as its endpoint. */
function readManifest(agent: DemoAgent): { version: string } & Record<string, unknown> {
  const manifest = JSON.parse(readFileSync(join(agent.folder, 'manifest.json'), 'utf8')) as {
    version: string;
    endpoint: Record<string, unknown>;
  };
  return { ...manifest, endpoint: { ...manifest.endpoint, url: agent.url } };
}
