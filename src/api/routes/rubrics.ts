import { getRubric, listRubrics, publishRubric, withdrawRubric } from '../../contract/rubrics';
import type { Rubrics } from '../../services/verification/rubrics';
import { listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { rubricDetailView, rubricView } from '../views/rubrics';
import type { RouteBinder } from '../binding/route';

export interface RubricRouteDeps {
  rubrics: Rubrics;
}

const RUBRIC_POSITION = [/^[0-9]{1,18}$/];
const DEFAULT_COMMENT_DAYS = 30;

/** GET /v1/rubrics[/{version}], and how operators announce and withdraw rubrics. */
export function rubricRoutes(binder: RouteBinder, { rubrics }: RubricRouteDeps): void {
  binder.bind(listRubrics, ({ query }) =>
    listPage(
      { list: ['rubrics'], position: RUBRIC_POSITION, query },
      ([beforeSequence], limit) => rubrics.list({ limit, beforeSequence }),
      { position: ({ sequence }) => [sequence], view: rubricView },
    ),
  );
  binder.bind(getRubric, async ({ params }) => rubricDetailView(await rubrics.get(params.version)));
  binder.bind(publishRubric, async ({ body, principal, traceId }) => {
    const { document, changelog, rfc_url: rfcUrl = null } = body;
    const { comment_days: commentDays = DEFAULT_COMMENT_DAYS } = body;
    const request = { operatorUserId: principal.userId, reason: changelog, traceId };
    return rubricDetailView(await rubrics.publish({ document, changelog, rfcUrl, commentDays }, request));
  });
  binder.bind(withdrawRubric, async (input) =>
    rubricDetailView(await rubrics.withdraw(input.params.version, operatorRequestOf(input))),
  );
}
