import { Context } from '@temporalio/activity';
import { EVIDENCE_STAGES, type EvidenceStage } from '../domain/verification/probe-facts';
import type {
  BegunRun,
  ReprobeOutcome,
  RunOutcome,
  VerificationRunInput,
} from '../domain/verification/verification';
import type { Verification } from '../services/verification/verification';
import type { VerificationStages } from '../services/verification/verification-stages';

const HEARTBEAT_MS = 3_000;

export type VerificationActivities = ReturnType<typeof createVerificationActivities>;

/** The steps of the `verificationRun` workflow, told to Temporal. What is thrown is a fault and is retried. */
export function createVerificationActivities(verification: Verification, stages: VerificationStages) {
  const gather = (stage: EvidenceStage) => (runId: string) =>
    beating((signal) => stages.gather(runId, stage, signal));

  return {
    beginVerification: (input: VerificationRunInput): Promise<BegunRun> => verification.begin(input),

    staticAnalysis: gather('static'),
    supplyChain: gather('supplyChain'),
    dynamicTesting: gather('dynamic'),
    redTeam: gather('redTeam'),

    /** The one stage of runs that earlier releases began: today it is all of them. */
    probeConformance: (runId: string): Promise<void> =>
      beating(async (signal) => {
        for (const stage of EVIDENCE_STAGES) await stages.gather(runId, stage, signal);
      }),

    concludeVerification: (runId: string): Promise<RunOutcome> => verification.conclude(runId),

    abandonVerification: (runId: string): Promise<void> => verification.abandon(runId),

    reprobeAgent: ({ agentId, reprobeId }: { agentId: string; reprobeId: string }): Promise<ReprobeOutcome> =>
      beating((signal) => stages.reprobe(agentId, reprobeId, signal)),
  };
}

/** A worker that dies in the middle is noticed by its silence. */
async function beating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
