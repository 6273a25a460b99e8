import type { Client } from '@temporalio/client';
import { MarketError } from '../domain/errors';
import { withTimeout } from '../kit/with-timeout';

type WorkflowService = Client['workflowService'];
type UpdateOptions = Parameters<WorkflowService['updateWorkflowExecutionOptions']>[0];
type TimeSkippingConfig = NonNullable<
  NonNullable<UpdateOptions['workflowExecutionOptions']>['timeSkippingConfig']
>;
type Duration = NonNullable<NonNullable<TimeSkippingConfig['fastForwardConfig']>['duration']>;

/** temporal.api.enums.v1.FastForwardPollingResult */
const POLL_TIMEOUT = 1;
const COMPLETED = 2;

/**
 * Moves the clock of one workflow forward and returns its state once it has arrived (server 1.32): `running`, or how it
 * ended on the way, such as `completed`. The workflow sees the later time and its timers fire; activities, Postgres and
 * other workflows are not affected. Time does not advance while an activity or a child of the workflow runs. Throws on
 * servers where time skipping is disabled, as it must be in production.
 */
export async function fastForward(client: Client, workflowId: string, durationMs: number): Promise<string> {
  const namespace = client.options.namespace;
  const workflowExecution = { workflowId };
  const id = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution,
    workflowExecutionOptions: {
      timeSkippingConfig: { enabled: true, fastForwardConfig: { id, duration: toDuration(durationMs) } },
    },
    updateMask: { paths: ['time_skipping_config'] },
  });
  for (;;) {
    try {
      const { fastForwardPollingResult: result, failedReason } =
        await client.workflowService.pollWorkflowExecutionTimeSkipping({
          namespace,
          workflowExecution,
          fastForwardId: id,
        });
      if (Number(result) === COMPLETED) return await stateOf(client, workflowId);
      if (Number(result) !== POLL_TIMEOUT)
        throw new Error(`the clock of ${workflowId} could not be moved: ${failedReason}`);
    } catch (error) {
      // a workflow that ends on the way is no longer moved, and that is what its timers were for
      const state = await stateOf(client, workflowId);
      if (state === 'running' || state === 'paused') throw error;
      return state;
    }
  }
}

async function stateOf(client: Client, workflowId: string): Promise<string> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name.toLowerCase();
}

function toDuration(durationMs: number): Duration {
  const seconds = Math.floor(durationMs / 1_000);
  // The server accepts a plain number, although the protobuf type requires a 64-bit object.
  return {
    seconds: seconds as unknown as NonNullable<Duration['seconds']>,
    nanos: (durationMs % 1_000) * 1_000_000,
  };
}

/** How long an operator waits for the clock. It moves on afterwards all the same. */
const WAIT_MS = 10_000;
/** gRPC status codes. */
const NOT_FOUND = 5;
const UNREACHABLE: readonly (number | undefined)[] = [4, 8, 14];

/** Time travel for operators of an installation that is not in production (ADR 0130). */
export function createTimeTravel(deps: { client: () => Client | undefined; waitMs?: number }) {
  const { waitMs = WAIT_MS } = deps;
  return {
    /**
     * Moves the clock of a workflow forward. Returns how the workflow stands, or `moving` if its clock has not arrived
     * within ten seconds. Throws `not_found` if it does not run, `invalid_state` if the server does not skip time, and
     * `engine_unavailable`.
     */
    async fastForward(workflowId: string, durationMs: number): Promise<string> {
      const client = deps.client();
      if (!client) throw new MarketError('engine_unavailable');
      const arrival = fastForward(client, workflowId, durationMs).catch((error: unknown) => {
        throw refusalOf(workflowId, error);
      });
      return withTimeout(waitMs, arrival, () => 'moving');
    },
  };
}

export type TimeTravel = ReturnType<typeof createTimeTravel>;

function refusalOf(workflowId: string, error: unknown): MarketError {
  const { code, details, message } = error as { code?: number; details?: string; message: string };
  if (code === NOT_FOUND)
    return new MarketError('not_found', {
      message: `${workflowId} is not running: it has ended, or it never began.`,
      cause: error,
    });
  if (UNREACHABLE.includes(code)) return new MarketError('engine_unavailable', { cause: error });
  return new MarketError('invalid_state', { message: details || message, cause: error });
}
