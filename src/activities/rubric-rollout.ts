import type { RolloutProgress } from '../domain/verification/rubric-rollout';
import type { RubricRollout } from '../services/verification/rubric-rollout';

export type RubricRolloutActivities = ReturnType<typeof createRubricRolloutActivities>;

/** Activities of the `rubricRollout` workflow. A thrown error is an internal fault; Temporal retries it. */
export function createRubricRolloutActivities(
  rollout: RubricRollout,
  askFor: (agent: { agentId: string; versionId: string }) => Promise<boolean>,
) {
  return {
    adoptRubric: (version: string, asOf: string): Promise<boolean> => rollout.adopt(version, asOf),
    rolloutProgress: (version: string): Promise<RolloutProgress> => rollout.progress(version),
    askAgents: (version: string, most: number): Promise<number> => rollout.ask(version, most, askFor),
    finishRollout: (version: string, asOf: string): Promise<void> => rollout.finish(version, asOf),
  };
}
