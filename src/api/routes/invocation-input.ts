import { answerInvocation } from '../../contract/invocation-input';
import type { JobEngine } from '../../engine/jobs';
import type { InvocationViews } from '../../services/calls/invocation-views';
import { holdJsonFor } from '../answers/large-pieces';
import type { RouteBinder } from '../binding/route';
import { invocationDetailView } from '../views/calls';

export interface InvocationInputRouteDeps {
  invocationViews: Pick<InvocationViews, 'get'>;
  jobEngine: Pick<JobEngine, 'answer'>;
}

/** POST /v1/invocations/{invocation_id}/input: the answer to a question of a job. */
export function invocationInputRoutes(
  binder: RouteBinder,
  { invocationViews, jobEngine }: InvocationInputRouteDeps,
): void {
  binder.bind(answerInvocation, async ({ params, body, principal: { userId }, res }) => {
    const { invocation_id: invocationId } = params;
    await jobEngine.answer(userId, invocationId, { questionId: body.question_id, input: body.input });
    return invocationDetailView(await invocationViews.get(userId, invocationId), holdJsonFor(res));
  });
}
