/**
 * A random mixture of 2,000 calls (400 outside the campaign) of all models, outcomes and surfaces: what buyers paid is
 * what developers and the platform got, to the unit (specification, "Charging rules"; issue: Σ charges = Σ earnings +
 * fees).
 */
import type { Pricing } from '../../src/domain/catalogue/manifest';
import { type Behaviour, type Delivery, eventStream, lineStream } from '../support/agents/behaviours';
import { chat, CHAT_SCHEMAS } from '../support/calls/chat';
import { few } from '../support/ledger/counts';
import {
  balance,
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../support/market';
import { useAgent, useMarket } from '../support/use-market';

const CALLS = few(400, 2_000);
const AT_ONCE = 32;
const SEED = Number(process.env['MIXTURE_SEED'] ?? 20_260);

jest.setTimeout(600_000);

const market = useMarket({});
const agent = useAgent({ behaviour: behaviourFor });
let developers: TestUser[];
let buyers: TestUser[];
let plain: string[];
let streaming: string[];
const loaded = new Map<string, number>();

const PRICES: (Omit<Pricing, 'free_tier_calls'> & { freeTierCalls?: number })[] = [
  { model: 'per_call', credits_per_call: 3, freeTierCalls: 7 },
  { model: 'per_call', credits_per_call: 11 },
  { model: 'per_token', credits_per_1k_tokens: '73.123', max_credits_per_call: 40 },
  { model: 'per_token', credits_per_1k_tokens: '999', max_credits_per_call: 9, freeTierCalls: 3 },
  { model: 'per_second', credits_per_second: '33.333', max_credits_per_call: 50 },
];

/** How the agent answers, by the word in the input. */
const WORDS: Record<string, Behaviour> = {
  fine: { kind: 'echo' },
  slow: { kind: 'slow', ms: 60 },
  wrong: { kind: 'wrong_shape' },
  broken: { kind: 'status', status: 500 },
  page: { kind: 'not_json' },
  dies: { kind: 'dies_mid_answer' },
  events: eventStream(['some ', 'words ', 'of an answer']),
  lines: lineStream(['some ', { chunk: 'words' }, { output: { text: 'all of it' } }], 5),
  misfit: lineStream(['some', { output: { other: 1 } }]),
  torn: { kind: 'stream', contentType: 'text/event-stream', parts: () => ['data: "half"\n\n'], then: 'dies' },
};
const PLAIN_WORDS = ['fine', 'fine', 'fine', 'slow', 'wrong', 'broken', 'page', 'dies'];
const CHAT_WORDS = ['events', 'events', 'lines', 'lines', 'misfit', 'torn', 'broken', 'dies'];

function behaviourFor({ body }: Delivery): Behaviour {
  const word = /"word-([a-z]+)"/.exec(body.toString())?.[1] ?? '';
  return WORDS[word] ?? { kind: 'status', status: 400 };
}

beforeAll(async () => {
  developers = [await register(market, 'developer'), await register(market, 'developer')];
  buyers = await Promise.all([30_000, 30_000, 30_000, 60].map((credits) => registerLoaded(credits)));
  const anything = {
    inputSchema: { type: 'object', properties: { wrong: false } },
    outputSchema: { type: 'object', properties: { unexpected: false } },
  };
  plain = await putAll(anything);
  streaming = await putAll(CHAT_SCHEMAS);
});

async function registerLoaded(credits: number): Promise<TestUser> {
  const buyer = await register(market, 'buyer', credits);
  loaded.set(buyer.userId, credits * 100);
  return buyer;
}

async function putAll(schemas: object): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, { freeTierCalls = 0, ...pricing }] of PRICES.entries()) {
    const options = { ...schemas, pricing, freeTierCalls, idempotent: at === 1 };
    ids.push((await putLive(market, developers[at % 2]?.userId ?? '', agent.url, options)).agentId);
  }
  return ids;
}

/** The answers that callers got: by invocation, the credits that it cost (0: it failed). */
type Told = Map<string, number>;

it('takes from buyers exactly what developers and the platform get', async () => {
  const random = randomFrom(SEED);
  const told: Told = new Map();
  const counts: Record<string, number> = {};
  let made = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (made < CALLS) {
        made += 1;
        const outcome = await oneCall(random, told, made);
        counts[outcome] = (counts[outcome] ?? 0) + 1;
      }
    }),
  );
  await eventually(async () => (await openCalls()) === 0, 30_000);
  if (process.env['MIXTURE_VERBOSE']) console.log(counts);
  for (const outcome of ['200', '402', '422', '502', 'done', 'error', 'left'])
    expect(counts[outcome]).toBeGreaterThan(CALLS / 200);
  await expectEqualBooks(told);
  await expectWholeLedger(market);
});

async function oneCall(random: Random, told: Told, n: number): Promise<string> {
  const buyer = random.of(buyers);
  const ceiling = random.chance(0.3) ? { max_cost_credits: random.below(12) } : {};
  const key = random.chance(0.2) ? { idempotency_key: `key-${n - random.below(2)}` } : {};
  const body = { ...ceiling, ...key };
  if (random.chance(0.4)) return oneTurn(random, told, buyer, body);
  const input = { say: `word-${random.of(PLAIN_WORDS)}`, more: 'x '.repeat(random.below(200)) };
  const wrong = random.chance(0.05) ? { wrong: true } : {};
  const reply = await invoke(market, buyer, random.of(plain), { input: { ...input, ...wrong }, ...body });
  const { invocation_id: id, usage } = reply.body;
  if (id !== undefined && reply.status !== 409) told.set(id, usage?.credits_charged ?? 0);
  return String(reply.status);
}

async function oneTurn(random: Random, told: Told, buyer: TestUser, body: object): Promise<string> {
  const turn = { messages: [{ role: 'user', content: `word-${random.of(CHAT_WORDS)}` }], ...body };
  const leaving = new AbortController();
  const leaves = random.chance(0.15);
  try {
    const reply = await chat(market, buyer, random.of(streaming), turn, {
      signal: leaving.signal,
      onEvent: ({ type }) => (leaves && type === 'output_chunk' ? leaving.abort() : undefined),
    });
    if (reply.last?.type !== 'done') return reply.last ? 'error' : String(reply.status);
    told.set(reply.last.invocation_id ?? '', reply.last.usage?.credits_charged ?? 0);
    return 'done';
  } catch (error) {
    if (leaving.signal.aborted) return 'left';
    throw error;
  }
}

async function openCalls(): Promise<number> {
  const { rows } = await market.owner.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM invocations WHERE status IN ('pending', 'running')`,
  );
  return rows[0]?.open ?? -1;
}

async function expectEqualBooks(told: Told): Promise<void> {
  const { rows } = await market.owner.query<{
    invocation_id: string;
    status: string;
    charged: string | null;
  }>('SELECT invocation_id, status, charged_units AS charged FROM invocations');
  const charged = new Map(rows.map((row) => [row.invocation_id, Number(row.charged ?? 0)]));
  for (const row of rows) if (row.status !== 'succeeded') expect(Number(row.charged ?? 0)).toBe(0);
  for (const [invocationId, credits] of told)
    expect([invocationId, charged.get(invocationId)]).toEqual([invocationId, credits * 100]);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const charges = sum([...charged.values()]);
  const of = async (users: TestUser[], kind: string) => {
    const units: number[] = [];
    for (const { userId } of users) units.push(await balance(market.owner, userId, kind));
    return units;
  };
  const spent = sum([...loaded.values()]) - sum(await of(buyers, 'wallet'));
  const earned = sum(await of(developers, 'payable'));
  const fees = await balance(market.owner, null, 'fees');
  expect(charges).toBeGreaterThan(CALLS * 50);
  expect({ spent, shared: earned + fees }).toEqual({ spent: charges, shared: charges });
  expect(fees * 100).toBe(charges * 3);
  expect(sum(await of(buyers, 'escrow'))).toBe(0);
}

interface Random {
  below(limit: number): number;
  chance(probability: number): boolean;
  of<T>(values: readonly T[]): T;
}

/** The same sequence for the same seed. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    of: (values) => values[below(values.length)] as never,
  };
}
