/** Accounts and agents of the attackers and of their victim. */
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createUpstreamCredentials } from '../../src/services/catalogue/upstream-credentials';
import { putLive, register, type TestMarket, type TestUser } from '../../test/support/market';
import { companyWithKeys } from '../../test/support/accounts/organisation-rows';
import { registerDeveloper } from '../../test/support/catalogue/publishing';
import type { Ground } from './attacks';
import type { AgentUrls, Orders, Sent } from './attacker';
import { targetOf } from './wire';

export type Place = Pick<TestMarket, 'url' | 'owner'> & {
  container: Pick<TestMarket['container'], 'cipher'>;
};

export interface Attackers {
  ground: Ground;
  echoUrl: string;
  pid: number;
  /** Ends the attacks that run, and begins others. Returns what those sent that ended. */
  run: (attacks: readonly string[]) => Promise<Sent>;
  stop: () => void;
}

const ANYTHING = { inputSchema: { type: 'object' }, outputSchema: {} };
const WEBHOOKS = 20;
/** The most that an organisation may have. */
const MEMBERS = 1_000;
const CREDENTIAL = { header: 'X-Agent-Key', key: `${'ab'.repeat(1_000)}c` };

/** Starts the attackers' process and makes their accounts and agents. */
export async function startAttackers(place: Place): Promise<Attackers> {
  const child = fork(join(__dirname, 'attacker.ts'), [], { execArgv: ['--import', 'tsx'] });
  const urls = (await told(child)) as AgentUrls;
  const developers = await Promise.all([1, 2, 3].map(() => registerDeveloper(place)));
  const [seller] = developers;
  if (!seller) throw new Error('no developer');
  const rich = await register(place, 'buyer', 1_000_000);
  const poor = await Promise.all(Array.from({ length: 6 }, () => register(place, 'buyer')));
  const live = async (url: string, options: Parameters<typeof putLive>[3]) =>
    (await putLive(place as TestMarket, seller.userId, url, { timeoutMs: 60_000, ...options })).agentId;
  const mirror = await live(urls.mirror, { ...ANYTHING, credits: 1 });
  const credentials = createUpstreamCredentials({
    pool: place.owner,
    cipher: place.container.cipher,
  });
  await credentials.store(place.owner, { agentId: mirror, endpointUrl: urls.mirror }, CREDENTIAL);
  const agents = {
    mirror,
    echo: await live(urls.echo, { ...ANYTHING, credits: 1 }),
    hanging: await live(urls.hanging, { credits: 1, a2aInvocable: true }),
    free: await live(urls.hanging, { credits: 1, freeTierCalls: 1_000_000, a2aInvocable: true }),
    perToken: await live(urls.echo, {
      ...ANYTHING,
      pricing: { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 1_000 },
    }),
  };
  const ground: Ground = {
    target: targetOf(place.url),
    rich: rich.cookie,
    poor: poor.map(({ cookie }) => cookie),
    developers: developers.map(({ cookie }) => cookie),
    members: (await companyWithKeys(place, { members: MEMBERS, credits: 1_000_000 })).keys,
    agents,
    hangingWebhooks: await addWebhooks(place, seller, urls.hanging),
  };
  return {
    ground,
    echoUrl: urls.echo,
    pid: child.pid ?? -1,
    async run(attacks) {
      child.send({ attacks, ground } satisfies Orders);
      return (await told(child)) as Sent;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Makes them before the measurement: an account that is refused often would wait while it makes them. */
async function addWebhooks({ url }: Place, { cookie }: TestUser, receiver: string): Promise<string[]> {
  const add = async () => {
    const response = await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ url: `${receiver}/${randomUUID()}`, types: ['invocation.succeeded'] }),
    });
    if (response.status !== 201) throw new Error(`webhook: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { webhook_id: string }).webhook_id;
  };
  return Promise.all(Array.from({ length: WEBHOOKS }, add));
}

async function told(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}

export interface Victim {
  /** Logs in again and again, which ends the oldest sessions of its account. */
  person: TestUser;
  buyer: TestUser;
  developer: TestUser;
  agentId: string;
}

/** A buyer with credits, and a developer with an agent. */
export async function addVictim(place: Place, agentUrl: string): Promise<Victim> {
  const developer = await registerDeveloper(place);
  const buyer = await register(place, 'buyer', 100_000);
  const person = await register(place, 'buyer');
  const { agentId } = await putLive(place as TestMarket, developer.userId, agentUrl, { a2aInvocable: true });
  return { person, buyer, developer, agentId };
}
