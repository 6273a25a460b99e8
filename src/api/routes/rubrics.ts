import { getRubric, listRubrics, publishRubric, withdrawRubric } from '../../contract/rubrics';
import type { Rubrics } from '../../services/verification/rubrics';
import { operatorRequestOf } from '../requests/operator-request';
import type { RouteBinder } from '../binding/route';

export interface RubricRouteDeps {
  rubrics: Rubrics;
}

/** GET /v1/rubrics[/{version}], and what operators do with them. */
export function rubricRoutes(binder: RouteBinder, { rubrics }: RubricRouteDeps): void {
  binder.bind(listRubrics, ({ query }) => rubrics.list({ limit: query.limit ?? 20, cursor: query.cursor }));
  binder.bind(getRubric, ({ params }) => rubrics.get(params.version));
  binder.bind(publishRubric, ({ body, principal, traceId }) =>
    rubrics.publish(
      {
        document: body.document,
        changelog: body.changelog,
        commentDays: body.comment_days ?? 30,
      },
      { operatorUserId: principal.userId, reason: body.changelog, traceId },
    ),
  );
  binder.bind(withdrawRubric, (input) => rubrics.withdraw(input.params.version, operatorRequestOf(input)));
}
