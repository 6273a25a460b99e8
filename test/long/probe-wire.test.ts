/** Bytes and times of probes and of a buyer's calls at the agent's own HTTPS socket. */
import type { Delivery } from '../support/agents/behaviours';
import { invoke, putLive, register } from '../support/market';
import { registerDeveloper } from '../support/catalogue/publishing';
import { type Pair, timeOf, toldApartBy } from '../support/verification/wire-features';
import { useAgent, useMarket } from '../support/use-market';

const EACH = 200;
const LEAST_PAIRS = 20;
/** A draw takes some 15 s, and several times that on a busy machine. */
const DRAW_MS = 300_000;

const market = useMarket();
const agent = useAgent();
let pairs: Pair[];

beforeAll(async () => {
  pairs = await drawPairs();
}, DRAW_MS);

/** Probes and calls near each other, in random order: calls repeat the inputs of the probes before them. */
async function drawPairs(): Promise<Pair[]> {
  const developer = await registerDeveloper(market);
  const buyer = await register(market, 'buyer', 10_000);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 });
  const seen = async (work: () => Promise<unknown>): Promise<Delivery[]> => {
    agent.forget();
    await work();
    return [...agent.deliveries];
  };
  const probe = (name: string) =>
    seen(() => market.container.verificationStages.reprobe(agentId, name, new AbortController().signal));
  const callAll = (bodies: readonly Buffer[]) =>
    seen(async () => {
      for (const body of bodies) {
        const input = JSON.parse(body.toString()) as Record<string, unknown>;
        expect((await invoke(market, buyer, agentId, { input })).status).toBe(200);
      }
    });
  await callAll(Array<Buffer>(30).fill(Buffer.from('{"text":"hello"}')));
  let known = (await probe('first')).map(({ body }) => body);
  const drawn: Pair[] = [];
  while (drawn.length < LEAST_PAIRS || drawn.flatMap(({ probes }) => probes).length < EACH) {
    const isCallsFirst = Math.random() < 0.5;
    const before = isCallsFirst ? await callAll(known) : [];
    const probes = await probe(`inv_${drawn.length}`);
    known = probes.map(({ body }) => body);
    drawn.push({ probes, calls: isCallsFirst ? before : await callAll(known) });
  }
  return drawn;
}

/** The same requests, with each probe of some changed. `share`: how many are. */
function planted(change: (probe: Delivery, at: number) => Partial<Delivery>, share = 1): Pair[] {
  let at = 0;
  return pairs.map(({ probes, calls }) => ({
    calls,
    probes: probes.map((probe) => {
      at += 1;
      return at % Math.round(1 / share) === 0 ? { ...probe, ...change(probe, at) } : probe;
    }),
  }));
}

const withHeader = (name: string, value: (old: string) => string) => (probe: Delivery) => ({
  headers: { ...probe.headers, [name]: value(String(probe.headers[name])) },
});

/**
 * Features that an agent can rely on, because they also separate other requests. A machine that is busy for a moment
 * may delay the probes of one draw more than its calls, but not for the same feature in the next draw.
 */
async function toldApartAgain(): Promise<string[]> {
  const first = toldApartBy(pairs).map(({ feature }) => feature);
  if (first.length === 0) return [];
  const second = toldApartBy(await drawPairs()).map(({ feature }) => feature);
  return first.filter((feature) => second.includes(feature));
}

it(
  'finds no difference between 200 probes and 200 calls of a buyer',
  async () => {
    expect(await toldApartAgain()).toEqual([]);
    expect(pairs.flatMap(({ probes }) => probes).length).toBeGreaterThanOrEqual(EACH);
    expect(pairs.flatMap(({ calls }) => calls).length).toBeGreaterThanOrEqual(EACH);
  },
  DRAW_MS,
);

it.each<[string, string, Pair[] | (() => Pair[])]>([
  ['number in x-deadline-ms', 'a deadline that is 1 ms longer', () => planted(withHeader('x-deadline-ms', (old) => String(Number(old) + 1)))],
  ['usual user-agent', 'another value of a header in each third probe', () => planted(withHeader('user-agent', (old) => `${old} `), 1 / 3)],
  ['x-probe is there', 'a header of its own', () => planted(({ headers }) => ({ headers: { ...headers, 'x-probe': '' } }))],
  ['place of traceparent', 'another order of headers', () => planted(({ headers: { traceparent, ...headers } }) => ({ headers: { traceparent, ...headers } }))],
  ['length of the body beyond its JSON', 'a space at the end of the body', () => planted(({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) }))],
  ['age of the invocation id', 'an id that is older, by more than calls differ', () => planted(({ at }) => ({ at: at + 25 + spreadOfAges() }))],
  ['trace id before invocation id', 'a trace that is younger than the id', () => planted(({ headers, invocationId }) => ({ headers: { ...headers, traceparent: tracedAfter(invocationId) } }))],
  ['opens a connection', 'a connection of its own for each second probe', () => planted((_probe, at) => ({ remotePort: 70_000 + at }), 1 / 2)],
])('finds by "%s" %s', (feature, _what, made) => {
  const found = toldApartBy(typeof made === 'function' ? made() : made);
  expect(found.map((one) => one.feature)).toContain(feature);
}); // prettier-ignore

/** By how many ms the ages of most calls differ, which is more on a busy machine. */
function spreadOfAges(): number {
  const ages = pairs.flatMap(({ calls }) => calls.map(({ at, invocationId }) => at - timeOf(invocationId)));
  ages.sort((a, b) => a - b);
  const at = (share: number) => ages[Math.floor(share * (ages.length - 1))] ?? 0;
  return at(0.9) - at(0.1);
}

/** A trace that begins 40 ms after the invocation, as probes once had. */
function tracedAfter(invocationId: string): string {
  const at = timeOf(invocationId) + 40;
  return `00-${at.toString(16).padStart(12, '0')}${'7'.repeat(20)}-${'1'.repeat(16)}-01`;
}
