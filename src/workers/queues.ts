import { taskQueueOf } from '../domain/a2a/a2a-task';
import { probeQueue } from '../domain/verification/verification';

/** Names of the task queues. `prefix` lets several stacks (and tests) share one Temporal server. */
export interface TaskQueues {
  invocations: string;
  operations: string;
  /** The calls of agents for tasks. */
  tasks: string;
  /** Work at the endpoints of agents, in processes that make buyers' calls. */
  probes: string;
  owner(ownerId: string): string;
  /** The rest of the tasks whose answers a worker process holds. */
  answers(workerId: string): string;
}

export function taskQueues(prefix: string): TaskQueues {
  const operations = `${prefix}operations`;
  return {
    invocations: `${prefix}invocations`,
    operations,
    tasks: taskQueueOf(operations),
    probes: probeQueue(operations),
    owner: (ownerId) => `${prefix}invocations-${ownerId}`,
    answers: (workerId) => `${taskQueueOf(operations)}-${workerId}`,
  };
}
