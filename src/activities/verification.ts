import { Context } from '@temporalio/activity';
import type { BegunRun, RunOutcome, VerificationRunInput } from '../domain/verification';
import type { Verification } from '../services/verification';

const HEARTBEAT_MS = 5_000;

export type VerificationActivities = ReturnType<typeof createVerificationActivities>;

/** The steps of the `verificationRun` workflow, told to Temporal. What is thrown is a fault and is retried. */
export function createVerificationActivities(verification: Verification) {
  return {
    beginVerification: (input: VerificationRunInput): Promise<BegunRun> => verification.begin(input),

    async probeConformance(runId: string): Promise<void> {
      const context = Context.current();
      const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        await verification.probe(runId, context.cancellationSignal);
      } finally {
        clearInterval(timer);
      }
    },

    concludeVerification: (runId: string): Promise<RunOutcome> => verification.conclude(runId),
  };
}
