import { probeQueue } from '../domain/verification/verification';

/** Names of the task queues. `prefix` lets several stacks (and tests) share one Temporal server. */
export interface TaskQueues {
  invocations: string;
  operations: string;
  /** Work at the endpoints of agents, in processes that make buyers' calls. */
  probes: string;
  owner(ownerId: string): string;
}

export function taskQueues(prefix: string): TaskQueues {
  const operations = `${prefix}operations`;
  return {
    invocations: `${prefix}invocations`,
    operations,
    probes: probeQueue(operations),
    owner: (ownerId) => `${prefix}invocations-${ownerId}`,
  };
}
