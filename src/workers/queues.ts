/** Names of the task queues. `prefix` lets several stacks (and tests) share one Temporal server. */
export interface TaskQueues {
  invocations: string;
  operations: string;
  owner(ownerId: string): string;
}

export function taskQueues(prefix: string): TaskQueues {
  return {
    invocations: `${prefix}invocations`,
    operations: `${prefix}operations`,
    owner: (ownerId) => `${prefix}invocations-${ownerId}`,
  };
}
