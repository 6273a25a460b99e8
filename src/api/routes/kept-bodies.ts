import { eraseBodies, eraseKept, getBodies, getKeeping, setKeeping } from '../../contract/kept-bodies';
import type { KeptBodies } from '../../services/calls/agent/kept-bodies';
import { holdJsonFor } from '../answers/large-pieces';
import { bodiesView } from '../views/calls';
import type { RouteBinder } from '../binding/route';

export interface KeptBodyRouteDeps {
  keptBodies: KeptBodies;
}

/** /v1/auth/keeping, /v1/invocations/{invocation_id}/bodies. */
export function keptBodyRoutes(binder: RouteBinder, { keptBodies }: KeptBodyRouteDeps): void {
  binder.bind(getKeeping, async ({ principal }) => ({ days: await keptBodies.days(principal.userId) }));

  binder.bind(setKeeping, async ({ principal, body: { days } }) => {
    await keptBodies.setDays(principal.userId, days);
    return { days };
  });

  binder.bind(eraseKept, async ({ principal }) => {
    await keptBodies.eraseAll(principal.userId);
    return undefined;
  });

  binder.bind(getBodies, async ({ principal, params: { invocation_id: id }, res }) =>
    bodiesView(id, await keptBodies.read(principal.userId, id), holdJsonFor(res)),
  );

  binder.bind(eraseBodies, async ({ principal, params }) => {
    await keptBodies.erase(principal.userId, params.invocation_id);
    return undefined;
  });
}
