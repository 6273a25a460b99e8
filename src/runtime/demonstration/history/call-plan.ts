/** The calls of the demonstration's history: who called which agent when, how long it took, and how it ended. */
import { DAY_MS, HOUR_MS, type Person, type Seller } from './moment';
import { randomNumbers } from './random';

export interface PlannedCall {
  /** Days before today: 0 is today. */
  day: number;
  /** Start, and end of the call in ms since 1970. */
  startMs: number;
  endMs: number;
  person: Person;
  slug: string;
  surface: 'invoke' | 'chat' | 'mcp';
  /** True when the program of the account made it, by its API key. */
  byKey: boolean;
  credits: number;
  /** What the buyer allows for the call; null where the price is known before it. */
  maxCostCredits: number | null;
  tokensIn: number;
  tokensOut: number;
  failure: Failure | null;
}

/** Why a call failed, as its seller reads it. */
export interface Failure {
  code: 'agent_timeout' | 'agent_error' | 'output_schema_mismatch' | 'agent_unreachable';
  phase: 'connection' | 'answer' | 'schema';
  status: number | null;
  path: string | null;
  problem: string;
}

/** What is known about the calls of an agent. Durations are in ms; `usual` is the median. */
export interface Habit {
  slug: string;
  seller: Seller;
  callsADay: number;
  usual: number;
  /** Credits of a call of this duration. */
  credits(durationMs: number, tokens: number): number;
  /** What buyers allow for a call whose price its duration or its tokens make; null for a fixed price. */
  maxCostCredits: number | null;
  /** Tokens of an ordinary input and output. */
  tokens: [number, number];
  surfaces: PlannedCall['surface'][];
  /** One of these failures ends about every 25th call. */
  failures: Failure[];
}

export const DAYS = 30;
/** Calls of the last minutes would be in the way of the first one that a person makes. */
const QUIET_MS = 15 * 60_000;
const FAILING_SHARE = 0.04;
const WEEKEND_SHARE = 0.45;
const SHARES: [Person, number][] = [
  ['buyer', 0.5],
  ['team', 0.85],
  ['studio', 1],
];

const TIMEOUT: Failure = {
  code: 'agent_timeout',
  phase: 'connection',
  status: null,
  path: null,
  problem: 'no answer within the time limit',
};
const BROKEN: Failure = {
  code: 'agent_error',
  phase: 'answer',
  status: 500,
  path: null,
  problem: 'the agent answered with status 500',
};
const REFUSED: Failure = { ...BROKEN, status: 422, problem: 'the agent answered with status 422' };
const mismatch = (path: string, problem: string): Failure => ({
  code: 'output_schema_mismatch',
  phase: 'schema',
  status: 200,
  path,
  problem,
});

export const HABITS: readonly Habit[] = [
  {
    slug: 'csv-profiler',
    seller: 'developer',
    callsADay: 26,
    usual: 120,
    credits: () => 5,
    maxCostCredits: null,
    tokens: [1_800, 900],
    surfaces: ['invoke', 'invoke', 'mcp'],
    failures: [REFUSED, mismatch('/columns/3/missing_share', 'must be <= 1'), BROKEN],
  },
  {
    slug: 'html-to-markdown',
    seller: 'developer',
    callsADay: 14,
    usual: 90,
    credits: () => 3,
    maxCostCredits: null,
    tokens: [6_000, 2_400],
    surfaces: ['invoke', 'mcp'],
    failures: [TIMEOUT, mismatch('/links/0/url', 'must be string')],
  },
  {
    slug: 'unit-converter',
    seller: 'developer',
    callsADay: 9,
    usual: 12,
    credits: () => 1,
    maxCostCredits: null,
    tokens: [12, 30],
    surfaces: ['invoke'],
    failures: [REFUSED],
  },
  {
    slug: 'kitchen-measures',
    seller: 'developer',
    callsADay: 3,
    usual: 14,
    credits: () => 1,
    maxCostCredits: null,
    tokens: [12, 30],
    surfaces: ['invoke'],
    failures: [REFUSED],
  },
  {
    slug: 'plain-english',
    seller: 'studio',
    callsADay: 8,
    usual: 1_400,
    credits: (_durationMs, tokens) => Math.ceil((tokens * 5) / 1_000),
    maxCostCredits: 50,
    tokens: [240, 210],
    surfaces: ['chat', 'chat', 'invoke'],
    failures: [BROKEN],
  },
  {
    slug: 'identifier-audit',
    seller: 'studio',
    callsADay: 3,
    usual: 9_000,
    credits: (durationMs) => Math.ceil((durationMs / 1_000) * 0.5),
    maxCostCredits: 50,
    tokens: [150, 320],
    surfaces: ['chat', 'invoke'],
    failures: [TIMEOUT, BROKEN],
  },
];

/**
 * Plans thirty days before today and the part of today that has passed; the same day gives the same calls. `share`: of
 * the calls of each agent, for tests.
 */
export function planCalls(nowMs: number, share = 1): PlannedCall[] {
  const random = randomNumbers(Math.floor(nowMs / DAY_MS));
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const calls: PlannedCall[] = [];
  for (let day = DAYS; day >= 0; day -= 1)
    for (const habit of HABITS)
      for (let left = callsOf(habit.callsADay * share, { day, today }, random); left > 0; left -= 1)
        calls.push(planCall(habit, { day, startMs: today - day * DAY_MS + timeOfDay(random) }, random));
  return inOrder(calls).filter(({ endMs }) => endMs < nowMs - QUIET_MS);
}

/** One call after the other, so that balances and times agree. */
function inOrder(calls: PlannedCall[]): PlannedCall[] {
  let freeMs = 0;
  return calls
    .sort((a, b) => a.startMs - b.startMs)
    .map((call) => {
      const startMs = Math.max(call.startMs, freeMs);
      const endMs = call.endMs + startMs - call.startMs;
      freeMs = endMs + 1;
      return { ...call, startMs, endMs };
    });
}

/** More at the end than at the beginning, fewer at weekends, and never twice the same. */
function callsOf(
  callsADay: number,
  { day, today }: { day: number; today: number },
  random: () => number,
): number {
  const weekday = new Date(today - day * DAY_MS).getUTCDay();
  const share = weekday === 0 || weekday === 6 ? WEEKEND_SHARE : 1;
  const growth = 0.75 + (0.5 * (DAYS - day)) / DAYS;
  return Math.max(1, Math.round(callsADay * share * growth * (0.75 + random() * 0.5)));
}

/** Most calls are made in the hours of work. */
function timeOfDay(random: () => number): number {
  const hours = random() < 0.8 ? 7 + random() * 11 : random() * 24;
  return Math.floor(hours * HOUR_MS);
}

function planCall(
  habit: Habit,
  { day, startMs }: { day: number; startMs: number },
  random: () => number,
): PlannedCall {
  const spread = () => 0.6 + random() * 0.8;
  const durationMs = Math.round(habit.usual * spread() * (random() < 0.06 ? 4 : 1));
  const [tokensIn, tokensOut] = habit.tokens.map((usual) => Math.round(usual * spread())) as [number, number];
  const share = random();
  const drawn = SHARES.find(([, until]) => share < until)?.[0] ?? 'buyer';
  const failing = random() < FAILING_SHARE;
  const [failure = null] = failing ? [pick(habit.failures, random)] : [];
  return {
    day,
    startMs,
    endMs: startMs + (failure?.code === 'agent_timeout' ? 30_000 : durationMs),
    // An account does not buy from itself.
    person: drawn === habit.seller ? 'team' : drawn,
    slug: habit.slug,
    surface: pick(habit.surfaces, random),
    byKey: random() < 0.7,
    credits: habit.credits(durationMs, tokensIn + tokensOut),
    maxCostCredits: habit.maxCostCredits,
    tokensIn,
    tokensOut,
    failure,
  };
}

/** The developer that sells an agent of the demonstration. */
export function sellerOf(slug: string): Seller {
  return HABITS.find((habit) => habit.slug === slug)?.seller ?? 'developer';
}

function pick<T>(choices: readonly T[], random: () => number): T {
  return choices[Math.floor(random() * choices.length)] as T;
}
