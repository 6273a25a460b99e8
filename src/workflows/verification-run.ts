/**
 * One verification of one version. Until the pipeline has all its stages it is the live conformance probe alone: a
 * version that passes goes live, without a badge. What is thrown in here is a fault of ours, and is retried; what
 * the agent does wrong is a result.
 */
import { proxyActivities } from '@temporalio/workflow';
import type { VerificationActivities } from '../activities/verification';
import { PROBE_COUNT, type RunOutcome, type VerificationRunInput } from '../domain/verification';

const FAULT_RETRY = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '60s' } as const;
/** A fault that lasts this long fails the run; the agent's workflow begins another one later. */
const PATIENCE = '6 hours';
/** Each probe may be tried twice. */
const TRIES = 2;
const PROBE_MARGIN_MS = 60_000;

const records = proxyActivities<VerificationActivities>({
  startToCloseTimeout: '20s',
  scheduleToCloseTimeout: PATIENCE,
  retry: FAULT_RETRY,
});

export async function verificationRun(input: VerificationRunInput): Promise<RunOutcome> {
  const begun = await records.beginVerification(input);
  if (begun.kind !== 'run') return begun;
  const { probeConformance } = proxyActivities<VerificationActivities>({
    startToCloseTimeout: begun.timeoutMs * PROBE_COUNT * TRIES + PROBE_MARGIN_MS,
    scheduleToCloseTimeout: PATIENCE,
    heartbeatTimeout: '30s',
    retry: FAULT_RETRY,
  });
  await probeConformance(input.runId);
  return records.concludeVerification(input.runId);
}
