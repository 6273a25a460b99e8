import type { RolloutProgress } from '../../domain/verification/rubric-rollout';
import type { DbPool } from '../../stores/db';
import {
  adoptRubric,
  countBehind,
  listBehind,
  listUnfinished,
  markAsked,
  markRolledOut,
} from '../../stores/verification/rubrics';

/** The steps of the workflow `rubricRollout`. All are idempotent. `asOf` is the workflow's clock. */
export function createRubricRollout(deps: { pool: DbPool }) {
  const { pool } = deps;
  return {
    /** Lists rubrics that are announced, or in effect but not fully rolled out. Each has a workflow. */
    unfinished: () => listUnfinished(pool),

    /** Puts a rubric into effect. Returns false if its comment period has not ended, or if it was withdrawn. */
    adopt: (version: string, asOf: string) => adoptRubric(pool, version, new Date(asOf)),

    progress: (version: string): Promise<RolloutProgress> => countBehind(pool, version),

    /** Requests runs for up to `most` agents, oldest report first. Returns how many. */
    async ask(
      version: string,
      most: number,
      askFor: (agent: { agentId: string; versionId: string }) => Promise<boolean>,
    ): Promise<number> {
      const agents = await listBehind(pool, version, most);
      for (const agent of agents) {
        if (!(await askFor(agent))) throw new Error(`could not request a run of ${agent.agentId}`);
        await markAsked(pool, version, agent.agentId);
      }
      return agents.length;
    },

    finish: (version: string, asOf: string) => markRolledOut(pool, version, new Date(asOf)),
  };
}

export type RubricRollout = ReturnType<typeof createRubricRollout>;
