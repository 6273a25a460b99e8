import { isTaskOver } from '../../domain/a2a/a2a-task';
import { legacyTaskJson } from '../../domain/a2a/a2a-legacy';
import { statusUpdateJson, taskJson } from '../../domain/a2a/a2a-wire';
import type { Cipher } from '../../kit/crypto/cipher';
import { createHeldJson, holdAsItsKind } from '../../kit/json/held-json';
import { disablePush, readPush } from '../../stores/a2a/a2a-push';
import { readTaskEvents } from '../../stores/a2a/a2a-tasks';
import type { DbPool } from '../../stores/db';
import { unsealTarget } from './a2a-push';
import type { TaskViews } from './a2a-task-views';
import type { DeliverySource } from '../webhooks/webhook-deliveries';

/**
 * Push notifications of tasks (A2A 1.0, "Push Notifications"). The body is a `StreamResponse`: the new status while the
 * task runs, with what the agent of its job has reported, and the whole task with its result once it has ended. In A2A
 * 0.3, the body is always the task.
 */
export function createPushSource(deps: {
  pool: DbPool;
  cipher: Cipher;
  views: Pick<TaskViews, 'ofDelivery'>;
}): DeliverySource {
  return {
    async payload({ endpointId, subjectId, subjectSeq }) {
      const held = createHeldJson();
      const push = await readPush(deps.pool, endpointId);
      const isLegacy = push && (await unsealTarget(deps.cipher, push)).version === '0.3';
      const hold = isLegacy ? holdAsItsKind(held.hold) : held.hold;
      const view = await deps.views.ofDelivery(subjectId, hold);
      const [event] = await readTaskEvents(deps.pool, subjectId, (subjectSeq ?? 1) - 1);
      if (!view || !event) return undefined;
      const at = view.job && view.state === event.state ? view.job.heardAt : event.at;
      const current = () =>
        isTaskOver(event.state) ? { task: taskJson(view) } : statusUpdateJson(view, event.state, at);
      const body = isLegacy ? legacyTaskJson(view, event.state, at) : current();
      return Buffer.concat(held.pieces(JSON.stringify(body)));
    },

    async request({ endpointId, eventId }) {
      const row = await readPush(deps.pool, endpointId);
      if (!row || row.disabled) return undefined;
      const { url, token, scheme, credentials } = await unsealTarget(deps.cipher, row);
      return {
        url,
        headers: {
          'content-type': 'application/a2a+json',
          'webhook-id': eventId,
          ...(token !== '' && { 'x-a2a-notification-token': token }),
          ...(credentials !== '' && { authorization: `${scheme === '' ? 'Bearer' : scheme} ${credentials}` }),
        },
      };
    },

    disable: (endpointId) => disablePush(deps.pool, endpointId),
  };
}
