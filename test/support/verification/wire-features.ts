/**
 * Features that an agent can read from requests, and a classifier of two groups of requests. Requests come in pairs of
 * groups, a pair in random order. If nothing tells them apart, the labels of each pair could be exchanged: the
 * probability of a difference is the share of all exchanges that give one as large (a permutation test, exact but for
 * the number of draws).
 */
import type { Delivery } from '../agents/behaviours';

/** Requests that were made near each other. */
export interface Pair {
  probes: readonly Delivery[];
  calls: readonly Delivery[];
}

/** The chance that any feature of two equal groups is reported; it is divided among the features. */
const FALSE_ALARMS = 0.002;
const DRAWS = 100_000;

/** Milliseconds of a UUID of version 7. */
export const timeOf = (id: string) => Number.parseInt(id.replace('inv_', '').slice(0, 12), 16);
const header = ({ headers }: Delivery, name: string) => String(headers[name] ?? '');

type Feature = (delivery: Delivery) => number;

const OF_ALL: Record<string, Feature> = {
  'age of the invocation id': ({ at, invocationId }) => at - timeOf(invocationId),
  'trace id before invocation id': (delivery) =>
    timeOf(delivery.invocationId) - timeOf(header(delivery, 'traceparent').split('-')[1] ?? ''),
  'time of the signature': (delivery) =>
    Math.floor(delivery.at / 1_000) - Number(header(delivery, 'webhook-timestamp')),
  'time in the second': ({ at }) => at % 1_000,
  'length of the body beyond its JSON': ({ body }) =>
    body.length - Buffer.byteLength(JSON.stringify(JSON.parse(body.toString()))),
  'stated length beyond the body': (delivery) =>
    Number(header(delivery, 'content-length')) - delivery.body.length,
  'number of headers': ({ headers }) => Object.keys(headers).length,
  'port of the connection': ({ remotePort }) => remotePort ?? 0,
  'time until the exchange was over': ({ at, closedAt }) => (closedAt ?? at) - at,
};

/** Presence, place, length and value of each header, and whether it is what most requests have. */
function ofHeader(name: string, all: readonly Delivery[]): Record<string, Feature> {
  const counts = new Map<string, number>();
  for (const delivery of all)
    counts.set(header(delivery, name), (counts.get(header(delivery, name)) ?? 0) + 1);
  const [usual] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [''];
  const isNumber = all.every((delivery) => /^\d{1,15}$/.test(header(delivery, name) || '0'));
  return {
    [`${name} is there`]: ({ headers }) => Number(headers[name] !== undefined),
    [`place of ${name}`]: ({ headers }) => Object.keys(headers).indexOf(name),
    ...(name !== 'content-length' && {
      [`length of ${name}`]: (delivery: Delivery) => header(delivery, name).length,
      [`usual ${name}`]: (delivery: Delivery) => Number(header(delivery, name) === usual),
      ...(isNumber && { [`number in ${name}`]: (delivery: Delivery) => Number(header(delivery, name)) }),
    }),
  };
}

/** Requests that open a connection, in the order in which they arrived. */
function openingsOf(all: readonly Delivery[]): Set<Delivery> {
  const known = new Set<number | undefined>();
  const opening = all.filter(({ remotePort }) => known.size < known.add(remotePort).size);
  return new Set(opening);
}

/**
 * The features by which an agent can tell probes from calls, with the probability that they differ so much by chance.
 */
export function toldApartBy(pairs: readonly Pair[]): { feature: string; chance: number }[] {
  const all = pairs.flatMap(({ probes, calls }) => [...probes, ...calls]).sort((a, b) => a.at - b.at);
  const names = [...new Set(all.flatMap(({ headers }) => Object.keys(headers)))];
  const opening = openingsOf(all);
  const features = Object.entries({
    ...OF_ALL,
    ...Object.assign({}, ...names.map((name) => ofHeader(name, all))),
    'method and path': ({ method, path }: Delivery) =>
      Number(method === all[0]?.method && path === all[0].path),
    'opens a connection': (delivery: Delivery) => Number(opening.has(delivery)),
  } as Record<string, Feature>);
  const varying = features.filter(([, of]) => new Set(all.map(of)).size > 1);
  const least = FALSE_ALARMS / varying.length;
  return varying
    .map(([feature, of]) => ({ feature, chance: chanceOf(differences(pairs, of), least) }))
    .filter(({ chance }) => chance < least);
}

/** For each pair, how much higher its probes rank among all requests than its calls. */
function differences(pairs: readonly Pair[], of: Feature): number[] {
  const values = pairs.flatMap(({ probes, calls }) => [...probes, ...calls].map(of)).sort((a, b) => a - b);
  const rankOf = (value: number) => (values.indexOf(value) + values.lastIndexOf(value)) / 2;
  const mean = (group: readonly Delivery[]) =>
    group.reduce((sum, delivery) => sum + rankOf(of(delivery)), 0) / Math.max(1, group.length);
  return pairs.map(({ probes, calls }) => mean(probes) - mean(calls));
}

/**
 * The share of exchanges of labels with a sum at least as far from zero, exact below `least`: the draws end when the
 * share cannot be lower any more. The draws are the same each time.
 */
function chanceOf(given: readonly number[], least: number): number {
  const size = Math.abs(given.reduce((sum, one) => sum + one, 0)) - 1e-9;
  let state = 88_172_645;
  let asLarge = 1;
  for (let draw = 0; draw < DRAWS && asLarge / (DRAWS + 1) < least; draw += 1) {
    let sum = 0;
    for (const one of given) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum += state < 0 ? one : -one;
    }
    if (Math.abs(sum) >= size) asLarge += 1;
  }
  return asLarge / (DRAWS + 1);
}
