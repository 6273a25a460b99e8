import { ApplicationFailure } from '@temporalio/common';
import type { EvidenceStage } from '../domain/verification/probe-facts';
import type {
  BegunRun,
  CallAllowance,
  ReprobeOutcome,
  RunOutcome,
  VerificationRunInput,
} from '../domain/verification/verification';
import type { Verification } from '../services/verification/verification';
import type { VerificationStages } from '../services/verification/verification-stages';
import { withHeartbeats } from './heartbeat';

export type VerificationActivities = ReturnType<typeof createVerificationActivities>;

/** The activities of the `verificationRun` workflow. An error is a fault of the service and is retried. */
export function createVerificationActivities(verification: Verification, stages: VerificationStages) {
  const gather = (stage: EvidenceStage) => (runId: string, allowed?: CallAllowance) =>
    withHeartbeats(async (signal, count) => {
      if ((await stages.gather(runId, stage, { signal, allowed, count })) === 'called_enough')
        throw ApplicationFailure.nonRetryable('each attempt made its calls, and failed afterwards');
    });

  return {
    beginVerification: (input: VerificationRunInput): Promise<BegunRun> => verification.begin(input),

    staticAnalysis: gather('static'),
    supplyChain: gather('supplyChain'),
    allowCalls: (runId: string): Promise<CallAllowance> =>
      withHeartbeats((signal) => stages.allowCalls(runId, signal)),
    dynamicTesting: gather('dynamic'),
    redTeam: gather('redTeam'),

    concludeVerification: (runId: string): Promise<RunOutcome> => verification.conclude(runId),

    abandonVerification: (runId: string): Promise<void> => verification.abandon(runId),

    reprobeAgent: ({ agentId, reprobeId }: { agentId: string; reprobeId: string }): Promise<ReprobeOutcome> =>
      withHeartbeats((signal) => stages.reprobe(agentId, reprobeId, signal)),
  };
}
