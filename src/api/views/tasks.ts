import { TASK_STATUS } from '../../domain/a2a/a2a-task';
import type { TaskView } from '../../domain/a2a/a2a-wire';
import { defaultMessage, isRetryable } from '../../domain/errors';
import { jobView, usageView } from './calls';

/** A task that was just accepted, in the specification's form. */
export function createdTaskView({ taskId, state, traceId }: TaskView) {
  return { task_id: taskId, status: TASK_STATUS[state], trace_id: traceId };
}

/** A task with its result, in the specification's form. */
export function polledTaskView(view: TaskView) {
  const code = view.state === 'COMPLETED' ? null : (view.reason?.code ?? view.errorCode);
  const { usage } = view;
  return {
    task_id: view.taskId,
    status: TASK_STATUS[view.state],
    trace_id: view.traceId,
    ...(view.job && { job: jobView(view.job) }),
    ...(view.output && {
      output: view.output.value,
      ...(view.output.contentType !== null && { content_type: view.output.contentType }),
      ...(view.output.isBase64 && { output_encoding: 'base64' as const }),
    }),
    ...(view.state === 'COMPLETED' && view.output === null && { output_expired: true as const }),
    ...(usage && {
      usage: usageView(usage),
    }),
    ...(code !== null && {
      error: { code, message: view.reason?.message ?? defaultMessage(code), retryable: isRetryable(code) },
    }),
  };
}
