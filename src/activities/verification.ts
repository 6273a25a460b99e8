import type { EvidenceStage } from '../domain/verification/probe-facts';
import type {
  BegunRun,
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
  const gather = (stage: EvidenceStage) => (runId: string) =>
    withHeartbeats((signal) => stages.gather(runId, stage, signal));

  return {
    beginVerification: (input: VerificationRunInput): Promise<BegunRun> => verification.begin(input),

    staticAnalysis: gather('static'),
    supplyChain: gather('supplyChain'),
    dynamicTesting: gather('dynamic'),
    redTeam: gather('redTeam'),

    concludeVerification: (runId: string): Promise<RunOutcome> => verification.conclude(runId),

    abandonVerification: (runId: string): Promise<void> => verification.abandon(runId),

    reprobeAgent: ({ agentId, reprobeId }: { agentId: string; reprobeId: string }): Promise<ReprobeOutcome> =>
      withHeartbeats((signal) => stages.reprobe(agentId, reprobeId, signal)),
  };
}
