/** A campaign: traffic on every surface, harm from a seed, and what must be true afterwards (docs/reliability.md). */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../ledger/random';
import { startTraffic, SURFACES, type Told } from './client';
import { startGround, type Ground } from './ground';
import { doHarm, type HarmDone } from './harm';
import { problemsAfter } from './oracle';
import { countLostReplies, type Counts, noCounts, WINDOWS } from './windows';

export interface CampaignOptions {
  seed: number;
  minutes: number;
  /** The campaign goes on until there were so many kills, for at most twice the minutes. */
  leastKills?: number;
  /** How often each window must have been met. */
  leastHits?: number;
  /** Where a failure leaves logs, timeline and what clients have heard. */
  folder?: string;
  log?: (line: string) => void;
}

export interface CampaignReport {
  seed: number;
  seconds: number;
  kills: number;
  killsByPart: Record<string, number>;
  stops: number;
  faults: Record<string, number>;
  rotations: number;
  calls: Record<string, number>;
  disputes: number;
  windows: Counts;
  problems: string[];
  timeline: HarmDone['timeline'];
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, minutes, leastKills = 0, leastHits = 0, log = () => undefined } = options;
  const ground = await startGround();
  const counts = noCounts();
  const startedAt = Date.now();
  try {
    const traffic = startTraffic(ground, randomOf(seed + 1));
    const isOver = (done: HarmDone) => {
      const passed = Date.now() - startedAt;
      const kills = sum(done.kills);
      return passed >= minutes * 120_000 || (passed >= minutes * 60_000 && kills >= leastKills);
    };
    const done = await doHarm(ground, randomOf(seed), counts, isOver, log);
    log('the last fault is over');
    await traffic.stop();
    const { told, disputed } = traffic;
    await ground.stack.reconnect();
    const problems = await problemsAfter(ground, told).catch((error: unknown) => [
      `no verdict: ${String(error)}`,
    ]);
    counts['after the commit, before the reply'] = await countLostReplies(ground, told, done.apiKills);
    for (const window of WINDOWS)
      if (counts[window] < leastHits)
        problems.push(
          `the window "${window}" was met ${counts[window]} times, and must be met ${leastHits} times`,
        );
    if (sum(done.kills) < leastKills) problems.push(`${sum(done.kills)} kills, and not ${leastKills}`);
    const report: CampaignReport = {
      seed,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
      kills: sum(done.kills),
      killsByPart: done.kills,
      stops: done.stops,
      faults: done.faults,
      rotations: done.rotations,
      calls: callsOf(told),
      disputes: disputed.size,
      windows: counts,
      problems,
      timeline: done.timeline,
    };
    if (done.failures.length > 0) problems.push(...done.failures.map((each) => `a harm failed: ${each}`));
    if (problems.length > 0 && options.folder !== undefined) keep(options.folder, ground, report, told);
    return report;
  } finally {
    await ground.stop();
  }
}

const sum = (numbers: Record<string, number>) =>
  Object.values(numbers).reduce((total, each) => total + each, 0);

function callsOf(told: readonly Told[]): Record<string, number> {
  const calls: Record<string, number> = { all: told.length };
  for (const surface of new Set(SURFACES))
    calls[surface] = told.filter((each) => each.surface === surface).length;
  for (const { outcome } of told) calls[outcome] = (calls[outcome] ?? 0) + 1;
  return calls;
}

function keep(folder: string, { stack }: Ground, report: CampaignReport, told: readonly Told[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(stack.home))
    if (name.endsWith('.log') || name.startsWith('temporal.db'))
      cpSync(join(stack.home, name), join(folder, name));
  writeFileSync(join(folder, 'report.json'), JSON.stringify(report, null, 2));
  const lines = told.map(({ buyer, ...call }) => JSON.stringify({ ...call, buyer: buyer.userId }));
  writeFileSync(join(folder, 'told.jsonl'), `${lines.join('\n')}\n`);
}
