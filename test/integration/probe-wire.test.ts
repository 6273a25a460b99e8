/** What an agent sees of a probe and of a buyer's call, at its own HTTPS socket. */
import type { Delivery } from '../support/agents/behaviours';
import { startAgent } from '../support/agents/test-agent';
import { keptMarket } from '../support/kept-market';
import { invoke, putLive, register, type TestMarket } from '../support/market';
import { registerDeveloper } from '../support/publishing';

const EACH = 200;
/**
 * Seven standard deviations of the measure for two equal groups of this size. The times of a group depend on each other: the
 * load of the machine changes between the probes of a run and the calls after them. What tells them apart measures 0.5.
 */
const BY_CHANCE = 0.2;

let market: TestMarket;

beforeAll(async () => {
  market = await keptMarket();
});
afterAll(() => market.stop());

const timeOf = (id: string) => Number.parseInt(id.replace('inv_', '').slice(0, 12), 16);
const header = ({ headers }: Delivery, name: string) => String(headers[name]);

/** Numbers that an agent can read from a request. */
const NUMBERS: Record<string, (delivery: Delivery) => number> = {
  'X-Deadline-Ms': (delivery) => Number(header(delivery, 'x-deadline-ms')),
  'age of the invocation id': ({ at, invocationId }) => at - timeOf(invocationId),
  'trace id before invocation id': (delivery) =>
    timeOf(delivery.invocationId) - timeOf(header(delivery, 'traceparent').split('-')[1] ?? ''),
  'time of the signature': (delivery) =>
    Math.floor(delivery.at / 1_000) - Number(header(delivery, 'webhook-timestamp')),
  'length of the body': ({ body }) => body.length,
  'length of all headers': ({ headers }) => JSON.stringify(Object.values(headers)).length,
  'port of the connection': ({ remotePort }) => remotePort ?? 0,
};

/** Which requests open a connection, in the order in which the agent receives them. */
function createOpenings(): (deliveries: readonly Delivery[]) => number[] {
  const known = new Set<number | undefined>();
  return (deliveries) =>
    deliveries.map(({ remotePort }) => {
      const isNew = !known.has(remotePort);
      known.add(remotePort);
      return Number(isNew);
    });
}

/** Texts that must be the same in every request. */
const SHAPES: Record<string, (delivery: Delivery) => string> = {
  'headers and their order': ({ headers }) => Object.keys(headers).join(' '),
  'method and path': ({ method, path }) => `${method} ${path}`,
  'content negotiation': (delivery) =>
    ['accept', 'accept-encoding', 'content-type', 'user-agent', 'connection', 'x-marketplace-hops']
      .map((name) => header(delivery, name))
      .join(' '),
};

/** The probability that a number of one group is above one of the other (area under the ROC curve), less a half. */
function separation(one: readonly number[], two: readonly number[]): number {
  let above = 0;
  for (const a of one) for (const b of two) above += a > b ? 1 : a === b ? 0.5 : 0;
  return Math.abs(above / (one.length * two.length) - 0.5);
}

it('does not tell a probe from a call of a buyer', async () => {
  const agent = await startAgent();
  const developer = await registerDeveloper(market);
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const stages = market.container.verificationStages;
  const call = async (body: string) => {
    const input = JSON.parse(body) as Record<string, unknown>;
    expect((await invoke(market, buyer, agentId, { input })).status).toBe(200);
  };
  for (let warm = 0; warm < 30; warm += 1) await call('{"text":"hello"}');
  const probes: Delivery[] = [];
  const calls: Delivery[] = [];
  const openings = createOpenings();
  const opened = { probes: [] as number[], calls: [] as number[] };
  openings(agent.deliveries);
  while (probes.length < EACH) {
    agent.forget();
    await stages.reprobe(agentId, `inv_${probes.length}`, new AbortController().signal);
    const seen = [...agent.deliveries];
    probes.push(...seen);
    opened.probes.push(...openings(seen));
    agent.forget();
    for (const { body } of seen) await call(body.toString());
    calls.push(...agent.deliveries);
    opened.calls.push(...openings(agent.deliveries));
  }
  const told = Object.entries(NUMBERS)
    .map(([name, of]) => ({ name, by: separation(probes.map(of), calls.map(of)) }))
    .concat({ name: 'opens a connection', by: separation(opened.probes, opened.calls) })
    .filter(({ by }) => by > BY_CHANCE);
  expect(told).toEqual([]);
  for (const [name, of] of Object.entries(SHAPES))
    expect([name, ...new Set([...probes, ...calls].map(of))]).toHaveLength(2);
  expect(calls.length).toBeGreaterThanOrEqual(EACH);
  await agent.stop();
}, 240_000);
