/** What is done to the market, from a seed: which part, what, for how long, and how soon after the last harm. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Random } from '../ledger/random';
import { realTime } from '../waits';
import { FAULTS } from './fault-proxy';
import type { Ground, Process } from './ground';
import { type Counts, openWindows, type Window, WINDOWS } from './windows';

export interface Harm {
  /** Milliseconds since the begin. */
  at: number;
  what: string;
}

export interface HarmDone {
  timeline: Harm[];
  /** SIGKILLs by the part that they ended. */
  kills: Record<string, number>;
  /** When processes of the API were killed. */
  apiKills: { at: number }[];
  stops: number;
  faults: Record<string, number>;
  rotations: number;
  /** What the campaign itself could not do. */
  failures: string[];
}

const ROOT = resolve(__dirname, '../../..');
/** How long a kill waits for a window. */
const HUNT_MS = 1_500;
const PAUSE_MS = { least: 300, most: 1_200 };
/** How long a part is left alone after a harm. A market that is never whole has no traffic that kills could meet. */
const REST_MS: Record<string, number> & { '': number } = {
  postgres: 12_000,
  temporal: 15_000,
  'api–postgres': 10_000,
  'worker–postgres': 6_000,
  'api–temporal': 8_000,
  'worker–temporal': 6_000,
  'market–agent': 3_000,
  rotation: 6_000,
  '': 0,
};
const DEAD_MS = { least: 50, most: 500 };
/** A process takes a while until it works again; killed before, it would meet nothing. */
const STARTS_MS = { api: 1_500, worker: 4_000 };
const FAULT_MS = { least: 300, most: 2_000 };

interface Campaigning {
  ground: Ground;
  random: Random;
  counts: Counts;
  done: HarmDone;
  startedAt: number;
  /** Recoveries that are under way. */
  healing: Set<Promise<void>>;
  busy: Set<string>;
  isRotating: boolean;
}

export async function doHarm(
  ground: Ground,
  random: Random,
  counts: Counts,
  until: (done: HarmDone) => boolean,
  log: (line: string) => void,
): Promise<HarmDone> {
  const done: HarmDone = {
    timeline: [],
    kills: {},
    apiKills: [],
    stops: 0,
    faults: {},
    rotations: 0,
    failures: [],
  };
  const state: Campaigning = {
    ground,
    random,
    counts,
    done,
    startedAt: Date.now(),
    healing: new Set(),
    busy: new Set(),
    isRotating: false,
  };
  const between = ({ least, most }: { least: number; most: number }) => least + random(most - least);
  while (!until(done)) {
    await pause(between(PAUSE_MS));
    let step = choose(state);
    for (let draw = 0; !step && draw < 5; draw += 1) step = choose(state);
    if (!step) continue;
    const harm = { at: Date.now() - state.startedAt, what: step.what };
    done.timeline.push(harm);
    log(`${(harm.at / 1_000).toFixed(1).padStart(6)} s  ${harm.what}`);
    const heals: Promise<void> = step
      .act()
      .catch((error: unknown) => void done.failures.push(`${harm.what}: ${String(error)}`));
    state.healing.add(heals);
    void heals.then(() => state.healing.delete(heals));
    // The choice of the next harm must not depend on how fast this one heals.
    await pause(0);
  }
  await Promise.all(state.healing);
  for (const proxy of ground.proxies) proxy.set(undefined);
  return done;

  function choose(campaign: Campaigning): { what: string; act: () => Promise<void> } | undefined {
    const die = random(100);
    const ms = between(FAULT_MS);
    const deadMs = between(DEAD_MS);
    const process = ground.processes[random(ground.processes.length)];
    const other = ground.processes.find((each) => each !== process && each.name[0] === process?.name[0]);
    const proxy = ground.proxies[random(ground.proxies.length)];
    const fault = FAULTS[random(FAULTS.length)];
    if (!process || !proxy || !fault || !other) return undefined;
    // Mostly one of two lives on, so that there is traffic to meet.
    if (die < 68 && die > 5 && campaign.busy.has(other.name)) return undefined;
    if (die < 55)
      return free(campaign, process.name, `SIGKILL ${process.name}`, () =>
        killProcess(campaign, process, deadMs),
      );
    if (die < 63)
      return free(campaign, process.name, `SIGSTOP ${process.name} for ${ms} ms`, () =>
        stopProcess(campaign, process, ms),
      );
    if (die < 79) return free(campaign, 'postgres', 'SIGKILL Postgres', () => killPostgres(campaign));
    if (die < 82) return free(campaign, 'temporal', 'SIGKILL Temporal', () => killTemporal(campaign));
    if (die < 88) return free(campaign, 'rotation', 'rotates keys', () => rotate(campaign, deadMs));
    return free(campaign, proxy.name, `${fault} ${proxy.name} for ${ms} ms`, async () => {
      done.faults[fault] = (done.faults[fault] ?? 0) + 1;
      proxy.set(fault);
      await pause(ms);
      proxy.set(undefined);
    });
  }

  /** A part to which something is done already is left alone. */
  function free({ busy }: Campaigning, part: string, what: string, act: () => Promise<void>) {
    if (busy.has(part)) return undefined;
    busy.add(part);
    const rest = async () => {
      await pause(REST_MS[part] ?? REST_MS['']);
      busy.delete(part);
    };
    return { what, act: () => act().finally(() => void rest()) };
  }
}

/** Waits for the window that was met least, for a while, so that the kill meets it. */
async function hunt({ ground, counts, done, isRotating }: Campaigning): Promise<Window[]> {
  const seen = WINDOWS.filter((name) => name !== 'after the commit, before the reply');
  const least = Math.min(...seen.map((name) => counts[name]));
  const rare = seen.filter((name) => counts[name] === least);
  // One after the other: the rarest alone could keep the others from being met.
  const wanted = rare[Object.values(done.kills).reduce((sum, each) => sum + each, 0) % rare.length];
  const giveUpAt = Date.now() + HUNT_MS;
  for (;;) {
    const open = await openWindows(ground, isRotating);
    if (Date.now() > giveUpAt || (wanted !== undefined && open.includes(wanted))) return open;
    await pause(10);
  }
}

async function note(campaign: Campaigning, part: string): Promise<void> {
  const { counts, done } = campaign;
  for (const open of await hunt(campaign)) counts[open] += 1;
  done.kills[part] = (done.kills[part] ?? 0) + 1;
}

async function killProcess(campaign: Campaigning, process: Process, deadMs: number): Promise<void> {
  const isApi = process.name.startsWith('api');
  await note(campaign, process.name);
  if (isApi) campaign.done.apiKills.push({ at: Date.now() });
  await process.service.kill('SIGKILL');
  await pause(deadMs);
  await process.service.start();
  await pause(isApi ? STARTS_MS.api : STARTS_MS.worker);
}

async function stopProcess({ done }: Campaigning, { service }: Process, ms: number): Promise<void> {
  done.stops += 1;
  const { pid } = service;
  process.kill(pid, 'SIGSTOP');
  await pause(ms);
  process.kill(pid, 'SIGCONT');
}

async function killPostgres(campaign: Campaigning): Promise<void> {
  await note(campaign, 'postgres');
  await campaign.ground.stack.killPostgres();
  await campaign.ground.stack.startPostgres();
}

async function killTemporal(campaign: Campaigning): Promise<void> {
  await note(campaign, 'temporal');
  await campaign.ground.stack.killTemporal();
  await campaign.ground.stack.startTemporal();
}

/** Commands of an operator, in the middle of everything; one of two is killed. What is left to chance is `deadMs`. */
async function rotate(campaign: Campaigning, deadMs: number): Promise<void> {
  const { ground, done } = campaign;
  done.rotations += 1;
  campaign.isRotating = true;
  const words = deadMs % 2 === 0 ? ['keys', 'rotate'] : ['evidence', 'rotate'];
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/market.js'), ...words], {
    cwd: ROOT,
    env: ground.commands,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  if (deadMs % 4 < 2) void pause(400 + deadMs).then(() => child.kill('SIGKILL'));
  await ended;
  campaign.isRotating = false;
}

const pause = (ms: number) => realTime(ms, 'harm has its time');
