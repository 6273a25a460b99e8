/**
 * One verification of one version: four stages gather evidence, then it is scored, all at once. What is thrown in here
 * is a fault of ours, and is retried; when it lasts, the run is abandoned and nobody's score changes. What the agent
 * does wrong is evidence.
 */
import { defineQuery, isCancellation, patched, proxyActivities, setHandler } from '@temporalio/workflow';
import type { VerificationActivities } from '../activities/verification';
import {
  PROBE_COUNT,
  type RunOutcome,
  type RunStage,
  type VerificationRunInput,
} from '../domain/verification/verification';

export const stageQuery = defineQuery<RunStage>('stage');

const FAULT_RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;
/** A fault that lasts this long fails the run; the agent's workflow begins another one later. */
const PATIENCE = '6 hours';
/** Of the one probe of earlier releases: each may be tried twice. */
const TRIES = 2;
const PROBE_MARGIN_MS = 60_000;

const records = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '20s',
  scheduleToCloseTimeout: PATIENCE,
  retry: FAULT_RETRY,
});

/** Work on the bundle: it waits for its turn in the worker, and should a file be poison, it is not tried all day. */
const bundle = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '30 minutes',
  scheduleToCloseTimeout: PATIENCE,
  heartbeatTimeout: '10s',
  retry: { ...FAULT_RETRY, maximumInterval: '5 minutes' },
});

/** Work at the endpoint: slow agents take long, and a try that was cut short has already called the agent. */
const live = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '2 hours',
  scheduleToCloseTimeout: PATIENCE,
  heartbeatTimeout: '10s',
  retry: { ...FAULT_RETRY, initialInterval: '5s' },
});

export async function verificationRun(input: VerificationRunInput): Promise<RunOutcome> {
  const progress = { stage: 'beginning' as RunStage };
  setHandler(stageQuery, () => progress.stage);
  const begun = await records.beginVerification(input);
  if (begun.kind !== 'run') return begun;
  if (!patched('four-stages')) return probeAlone(input.runId, begun.timeoutMs);
  try {
    return await fourStages(input.runId, progress);
  } catch (error) {
    if (!isCancellation(error)) await records.abandonVerification(input.runId);
    throw error;
  }
}

async function fourStages(runId: string, progress: { stage: RunStage }): Promise<RunOutcome> {
  progress.stage = 'static';
  await bundle.staticAnalysis(runId);
  progress.stage = 'supplyChain';
  await bundle.supplyChain(runId);
  progress.stage = 'dynamic';
  await live.dynamicTesting(runId);
  progress.stage = 'redTeam';
  await live.redTeam(runId);
  progress.stage = 'concluding';
  const outcome = await records.concludeVerification(runId);
  progress.stage = 'over';
  return outcome;
}

/** Runs that began before there were stages. */
async function probeAlone(runId: string, timeoutMs: number): Promise<RunOutcome> {
  const { probeConformance } = proxyActivities<VerificationActivities>({
    startToCloseTimeout: timeoutMs * PROBE_COUNT * TRIES + PROBE_MARGIN_MS,
    scheduleToCloseTimeout: PATIENCE,
    heartbeatTimeout: '30s',
    retry: FAULT_RETRY,
  });
  await probeConformance(runId);
  return records.concludeVerification(runId);
}
