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

/** The steps of the workflow `rubricRollout`; each may be repeated. `asOf` is the workflow's clock. */
export function createRubricRollout(deps: { pool: DbPool }) {
  const { pool } = deps;
  return {
    /** Rubrics that are announced, or in effect and not everywhere yet: each has a workflow. */
    unfinished: () => listUnfinished(pool),

    /** False: its comment period is not over, or it was withdrawn. */
    adopt: (version: string, asOf: string) => adoptRubric(pool, version, new Date(asOf)),

    progress: (version: string): Promise<RolloutProgress> => countBehind(pool, version),

    /** Asks up to `most` agents for a run, those with the oldest report first; how many were asked. */
    async ask(
      version: string,
      most: number,
      askFor: (agent: { agentId: string; versionId: string }) => Promise<boolean>,
    ): Promise<number> {
      const agents = await listBehind(pool, version, most);
      for (const agent of agents) {
        if (!(await askFor(agent))) throw new Error(`could not ask for a run of ${agent.agentId}`);
        await markAsked(pool, version, agent.agentId);
      }
      return agents.length;
    },

    finish: (version: string, asOf: string) => markRolledOut(pool, version, new Date(asOf)),
  };
}

export type RubricRollout = ReturnType<typeof createRubricRollout>;
