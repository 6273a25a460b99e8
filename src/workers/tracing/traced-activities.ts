/** Records activities as spans, while traces are exported. */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { spanIdOf, spanSink, traceIdOfSubject } from '../../kit/tracing';

const CALL = /^(?:[\w-]*\/)?invocation\/(inv_[0-9a-f]{32})$/;

/** Finds the trace of a call that this process holds. */
export interface TracedCalls {
  find(invocationId: string): { traceId: string } | undefined;
}

/**
 * Interceptors of a worker. An activity of a call is a span below the call, in the call's trace. The activities of any
 * other workflow share a trace whose id follows from the workflow id.
 */
export function traceActivities(calls?: TracedCalls) {
  return {
    activity: [
      (context: Context): ActivityInterceptors => ({
        inbound: {
          async execute(input, next) {
            const record = spanSink();
            if (!record) return next(input);
            const { activityType, activityId, attempt, workflowExecution, workflowType, taskQueue } =
              context.info;
            const workflowId = workflowExecution?.workflowId ?? activityId;
            const invocationId = CALL.exec(workflowId)?.[1];
            const call = invocationId === undefined ? undefined : calls?.find(invocationId);
            const startMs = Date.now();
            const startedAt = performance.now();
            const end = (failure?: string) =>
              record({
                traceId: call?.traceId ?? traceIdOfSubject(workflowId),
                spanId: spanIdOf(`${workflowId}/${workflowExecution?.runId ?? ''}/${activityId}/${attempt}`),
                parentSpanId: call && invocationId ? spanIdOf(invocationId) : undefined,
                name: `activity ${activityType}`,
                kind: 'internal',
                startMs,
                durationMs: performance.now() - startedAt,
                attributes: {
                  temporalWorkflowID: workflowId,
                  temporalRunID: workflowExecution?.runId ?? '',
                  'temporal.workflow_type': workflowType ?? '',
                  'temporal.task_queue': taskQueue,
                  'temporal.attempt': attempt,
                },
                failure,
              });
            try {
              const result: unknown = await next(input);
              end();
              return result;
            } catch (error) {
              end(error instanceof Error ? error.name : 'error');
              throw error;
            }
          },
        },
      }),
    ],
  };
}
