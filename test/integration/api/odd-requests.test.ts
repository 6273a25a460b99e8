/**
 * Odd requests to every operation of the table: paths, queries, headers and bodies that no client sends. Each is
 * answered with what the contract has for it ("General"), never with a fault of ours, and soon.
 */
import type { TSchema } from '@sinclair/typebox';
import type { Operation } from '../../../src/contract/operation';
import { operations } from '../../../src/contract/operations';
import { anySignal } from '../../../src/kit/concurrency/any-signal';
import { isCampaign, part } from '../../support/ledger/counts';
import { register, topUp, type TestUser } from '../../support/market';
import { useScene } from '../../support/use-market';

const scene = useScene({ market: { operations: false } });
let callers: Record<'buyer' | 'developer' | 'operator', TestUser>;
beforeAll(async () => {
  const { market, buyer, developer } = scene;
  const operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
  await market.owner.query('UPDATE users SET registration_paid_at = now() WHERE user_id = $1', [
    developer.userId,
  ]);
  await topUp(market.owner, developer.userId, 1_000);
  callers = { buyer, developer, operator };
});

/**
 * Operations that end the sessions of this test or report that no worker runs; those that remove its agent come last.
 */
const LEFT_OUT = ['logout', 'changePassword', 'readiness'];
const LAST = ['suspendAgent', 'retireAgent'];
const isLast = ({ id }: Operation) => LAST.includes(id);
const tested = [...operations.filter((one) => !isLast(one)), ...operations.filter(isLast)].filter(
  ({ id }) => !LEFT_OUT.includes(id),
);
/**
 * A part of a list in `npm test`, all of it in the campaign (`npm run test:crash`). Each member has the next part, so
 * that each value meets many members and operations.
 */
const PART = isCampaign ? 1 : part(6, 3);
let turn = 0;
const someOf = <T>(values: readonly T[]): T[] => {
  turn += 1;
  return values.filter((_, at) => (at + turn) % PART === 0);
};

/** Operations whose example belongs to another agent. */
const SAMPLES: Record<string, Record<string, unknown>> = { invokeAgent: { input: { text: 'x' } } };
const sampleBody = ({ id, examples }: Operation) =>
  (SAMPLES[id] ?? examples?.request ?? {}) as Record<string, unknown>;

const PARTS = ['%00', '%ED%A0%80', 'x'.repeat(5_000)];
const QUERIES = ['%00', '9'.repeat(20), '2016-12-31T23:59:60Z'];
const VALUES: unknown[] = ['a\u0000b', '\ud800', 1e300, null, 'x'.repeat(20_000), [{}], { a: { b: 1 } }];
const BODIES = ['', 'null', '[]', '{', '{"a":1,"a":2}'];
const HEADERS: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-encoding': 'gzip' },
  { 'idempotency-key': 'k'.repeat(300) },
  { 'x-mandate': 'e30', 'x-max-cost-credits': '-1' },
];

interface Odd {
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

function pathOf({ path }: Operation, odd: Record<string, string> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => odd[name] ?? sampleOf(name));
}

function sampleOf(name: string): string {
  const known: Record<string, string> = {
    agent_id: scene.agentId,
    version: '1.0.0',
    slug: 'none',
    owner: 'none',
  };
  return known[name] ?? 'none';
}

function membersOf(schema: TSchema | undefined): string[] {
  const branches = (schema?.['anyOf'] as TSchema[] | undefined) ?? [];
  return Object.keys((schema?.['properties'] ?? branches[0]?.['properties'] ?? {}) as object);
}

function* oddBodies(operation: Operation): Generator<string> {
  const valid = sampleBody(operation);
  yield* BODIES;
  yield JSON.stringify({ ...valid, nobody_knows: 1 });
  for (const name of membersOf(operation.body))
    for (const value of someOf(VALUES)) yield JSON.stringify({ ...valid, [name]: value });
  for (const [name, inner] of Object.entries(valid))
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
      for (const member of Object.keys(inner))
        for (const value of someOf(VALUES))
          yield JSON.stringify({ ...valid, [name]: { ...inner, [member]: value } });
}

function* oddRequests(operation: Operation): Generator<Odd> {
  const path = pathOf(operation);
  const takesBody = operation.method !== 'get' && operation.method !== 'delete';
  const body = takesBody ? JSON.stringify(sampleBody(operation)) : undefined;
  const withBody = body === undefined ? {} : { body };
  for (const name of Object.keys(operation.params?.properties ?? {}))
    for (const part of PARTS) yield { path: pathOf(operation, { [name]: part }), ...withBody };
  for (const name of [...membersOf(operation.query), 'limit', 'nobody_knows'])
    for (const value of someOf(QUERIES)) yield { path: `${path}?${name}=${value}`, ...withBody };
  if (!takesBody) return;
  for (const headers of HEADERS) yield { path, headers, ...withBody };
  for (const odd of oddBodies(operation)) yield { path, body: odd };
}

/** Returns the problem of the answer to an unusual request; undefined if there is none. */
async function complaint(operation: Operation, { path, headers, body }: Odd): Promise<string | undefined> {
  const role = operation.roles?.[0] ?? 'buyer';
  const stop = new AbortController();
  const response = await fetch(scene.market.url + path, {
    method: operation.method.toUpperCase(),
    headers: {
      // Registering and logging in would end the session.
      cookie: operation.auth === 'public' ? '' : callers[role].cookie,
      'a2a-version': '1.0',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    signal: anySignal(stop.signal, AbortSignal.timeout(10_000)),
  });
  const told = `${operation.method} ${path.slice(0, 120)} ${body?.slice(0, 120)} → ${response.status}`;
  if (!response.headers.get('x-trace-id') || !response.headers.get('x-ratelimit-limit'))
    return `${told}: headers`;
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    stop.abort();
    return undefined;
  }
  const text = await response.text();
  if (response.status >= 500) return `${told} ${text}`;
  if (response.status === 422 && text.includes('"detail":[]')) return `${told} ${text}`;
  return undefined;
}

it.each(tested.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
  const queue = [...oddRequests(operation)];
  const complaints: string[] = [];
  const work = async () => {
    for (let odd = queue.pop(); odd; odd = queue.pop()) {
      const wrong = await complaint(operation, odd);
      if (wrong !== undefined) complaints.push(wrong);
    }
  };
  await Promise.all([work(), work(), work(), work(), work(), work()]);
  expect(complaints).toEqual([]);
});

it('leaves the service available', async () => {
  expect((await fetch(`${scene.market.url}/health`)).status).toBe(200);
});
