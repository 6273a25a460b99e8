/** Measures a victim alone and under each attack, and judges what the attacks cost it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../measure';
import { startHookServer } from '../../test/support/webhooks/hook-server';
import { startAgent } from '../../test/support/agents/test-agent';
import { ATTACKS } from './attacks';
import type { Sent } from './attacker';
import { createWatch, type Share } from './processor';
import { addVictim, startAttackers, type Place } from './ground';
import { addWebhook, type Phase, WORK, type Work, workFor } from './victim';

export interface Figures {
  count: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

export interface Measured {
  attack: string;
  /** Alone, just before the attack: other programs of the machine change what is quiet. */
  quiet: Record<Work, Figures>;
  figures: Record<Work, Figures>;
  /** Refusals and faults of both phases. */
  failures: Record<string, number>;
  /** What the attackers sent in each round. */
  sent: Sent[];
  /** Where processor time went, alone and under the attack. */
  shares: { alone: Record<string, Share>; under: Record<string, Share> };
}

export interface Plan {
  /** How long the victim works alone before each attack, under each attack, and under all of them. */
  quietMs: number;
  attackMs: number;
  allMs: number;
  /**
   * How often quiet and attack alternate; default: once. Other programs slow both down alike if they alternate often.
   */
  rounds?: number;
  /** Default: all. They come one after another, if `attackMs` is not 0, and then together. */
  attacks?: readonly string[];
  onPhase?: (measured: Measured) => void;
  /** Ids of the processes of the service by name: their processor time is measured. */
  processes?: Readonly<Record<string, number>>;
}

/** What attackers began ends within about this time. */
const SETTLE_MS = 2_000;
/** Under attack, p50 may grow threefold, and p95 and p99 fivefold or to half a second. */
export const LIMITS: Readonly<Record<'p50' | 'p99' | 'p99Ms', number>> = { p50: 3, p99: 5, p99Ms: 500 };

export async function measureNeighbours(place: Place, plan: Plan): Promise<Measured[]> {
  const hook = await startHookServer('127.77.0.21');
  const agent = await startAgent({ host: '127.77.0.22', keepBodies: false });
  const attackers = await startAttackers(place);
  const measured: Measured[] = [];
  try {
    const victim = await addVictim(place, agent.url);
    const deps = { place, victim, hook, ...(await addWebhook({ place, victim, hook })) };
    await workFor(deps, Math.min(2_000, plan.quietMs));
    const phase = async (attack: string, attacks: readonly string[], ms: number) => {
      const alone: Phase[] = [];
      const under: Phase[] = [];
      const sent: Sent[] = [];
      const pids = { attackers: attackers.pid, 'the victim': process.pid, ...plan.processes };
      const [watchAlone, watchUnder] = [createWatch(pids), createWatch(pids)];
      for (let round = 0; round < (plan.rounds ?? 1); round += 1) {
        await attackers.run([]);
        await sleep(Math.min(SETTLE_MS, plan.quietMs));
        alone.push(await watchAlone.during(() => workFor(deps, plan.quietMs)));
        await attackers.run(attacks);
        under.push(await watchUnder.during(() => workFor(deps, ms)));
        sent.push(await attackers.run([]));
      }
      const [before, now] = [summaryOf(alone), summaryOf(under)];
      const failures = { ...prefixed('alone: ', before.failures), ...now.failures };
      const shares = { alone: watchAlone.shares(), under: watchUnder.shares() };
      const row = { attack, quiet: before.figures, figures: now.figures, failures, sent, shares };
      plan.onPhase?.(row);
      measured.push(row);
    };
    const names = plan.attacks ?? Object.keys(ATTACKS);
    if (plan.attackMs > 0) for (const name of names) await phase(name, [name], plan.attackMs);
    if (names.length > 1) await phase('all', names, plan.allMs);
    await attackers.run([]);
  } finally {
    attackers.stop();
    await agent.stop();
    await hook.stop();
  }
  return measured;
}

function summaryOf(phases: readonly Phase[]): Pick<Measured, 'figures' | 'failures'> {
  const figures = Object.fromEntries(
    WORK.map((work) => {
      const sorted = phases.flatMap(({ timesMs }) => timesMs[work]).sort((a, b) => a - b);
      const [p50Ms = 0, p95Ms = 0, p99Ms = 0] = [0.5, 0.95, 0.99].map((part) => quantile(sorted, part));
      return [work, { count: sorted.length, p50Ms, p95Ms, p99Ms }];
    }),
  ) as Record<Work, Figures>;
  const failures: Record<string, number> = {};
  for (const [what, count] of phases.flatMap((phase) => Object.entries(phase.failures)))
    failures[what] = (failures[what] ?? 0) + count;
  return { figures, failures };
}

function prefixed(prefix: string, failures: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(failures).map(([what, count]) => [prefix + what, count]));
}

const SLOWEST = [['p95', 'p95Ms'], ['p99', 'p99Ms']] as const; // prettier-ignore

/** The breaches of the limits, as sentences. */
export function breachesOf({ attack, quiet, figures, failures }: Measured, limits = LIMITS): string[] {
  const breaches = Object.entries(failures).map(([what, count]) => `${attack}: ${what} (${count} times)`);
  for (const work of WORK) {
    const [now, before] = [figures[work], quiet[work]];
    if (now.p50Ms > limits.p50 * before.p50Ms)
      breaches.push(`${attack}: p50 of ${work} ${ratio(now.p50Ms, before.p50Ms)}`);
    for (const [name, key] of SLOWEST)
      if (now[key] > Math.max(limits.p99 * before[key], limits.p99Ms))
        breaches.push(`${attack}: ${name} of ${work} ${ratio(now[key], before[key])}`);
  }
  return breaches;
}

function ratio(now: number, before: number): string {
  return `${before.toFixed(0)} → ${now.toFixed(0)} ms (${(now / before).toFixed(1)} times)`;
}

/**
 * One line of the report: for each kind of work p50, p95 and p99 in ms, alone and under the attack, and their
 * quotients.
 */
export function lineOf({ attack, quiet, figures, failures }: Measured): string {
  const cells = WORK.map((work) => {
    const [now, before] = [figures[work], quiet[work]];
    const cell = (key: 'p50Ms' | 'p95Ms' | 'p99Ms') =>
      `${before[key].toFixed(0)}→${now[key].toFixed(0)} ×${(now[key] / before[key]).toFixed(1)}`;
    return `${work} ${cell('p50Ms')}, ${cell('p95Ms')}, ${cell('p99Ms')}`;
  });
  const wrong = Object.keys(failures).length > 0 ? `; failures ${JSON.stringify(failures)}` : '';
  return `${attack.padEnd(18)} ${cells.join('; ')}${wrong}`;
}

/**
 * For each attack, its requests a second and the statuses that it got, so that a weaker attack cannot pass for a better
 * defence.
 */
export function pressureLines({ sent }: Measured): string[] {
  const seconds = sent.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const names = [...new Set(sent.flatMap(({ attacks }) => Object.keys(attacks)))];
  return names.map((name) => {
    const rounds = sent.map(({ attacks }) => attacks[name] ?? { requests: 0, statuses: {} });
    const perSecond = (count: number) => (count / seconds).toFixed(1);
    const requests = rounds.reduce((sum, round) => sum + round.requests, 0);
    const statuses: Record<string, number> = {};
    for (const [status, count] of rounds.flatMap((round) => Object.entries(round.statuses)))
      statuses[status] = (statuses[status] ?? 0) + count;
    const parts = Object.entries(statuses).map(([status, count]) => `${status}: ${perSecond(count)}`);
    return `    ${name.padEnd(38)} ${perSecond(requests)} requests/s${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
  });
}
