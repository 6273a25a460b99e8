/**
 * Push notification configs of tasks. URL, token and credentials are encrypted and never returned to anyone. The URL is
 * checked by the same rules as an agent's endpoint, when it is registered and again at each delivery.
 */
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import { urlProblem } from '../../egress/url-rules';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId, newTraceId } from '../../kit/ids/ids';
import { isStorable } from '../../domain/json-value';
import { deletePush, listPush, lockAndCountPush, type PushRow, putPush } from '../../stores/a2a/a2a-push';
import { readTask } from '../../stores/a2a/a2a-tasks';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import type { TaskScope } from './a2a-task-views';

const MAX_PER_TASK = 10;
const MAX_TEXT = 4_096;

/** A push target as the caller sent it. Empty strings mean absent. */
export interface PushTarget {
  id: string;
  url: string;
  token: string;
  scheme: string;
  credentials: string;
  /** The protocol version of the notifications; absent for 1.0. */
  version?: '0.3';
}

/** A push target that was checked and encrypted, ready to be stored. */
export interface SealedPush {
  endpointId: string;
  configId: string;
  sealed: Buffer;
}

/** The part of a push config that is shown to its owner. */
export interface ShownPush {
  id: string;
  taskId: string;
  url: string;
}

export interface PushConfigsDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'vetUrl'>;
}

export function createPushConfigs(deps: PushConfigsDeps) {
  const { pool, cipher } = deps;

  async function requireTask(scope: TaskScope, taskId: string): Promise<void> {
    if (!(await readTask(pool, taskId, scope))) throw new MarketError('not_found');
  }

  async function shown(row: PushRow): Promise<ShownPush> {
    const { url } = await unsealTarget(cipher, row);
    return { id: row.configId, taskId: row.taskId, url };
  }

  async function insert(tx: Db, taskId: string, push: SealedPush): Promise<void> {
    if ((await lockAndCountPush(tx, taskId, push.configId)) >= MAX_PER_TASK) {
      throw new MarketError('validation_failed', {
        message: `A task has at most ${MAX_PER_TASK} push notification configs.`,
      });
    }
    await putPush(tx, { ...push, taskId });
  }

  /** Checks and encrypts a target. Throws `validation_failed`, or `unsafe_url` for a forbidden URL. */
  async function vet(target: PushTarget): Promise<SealedPush> {
    requireSendable(target);
    const verdict = await deps.egress.vetUrl(target.url);
    if (!verdict.ok) {
      const problem = urlProblem(['body', 'taskPushNotificationConfig', 'url'], verdict.rule);
      throw new MarketError('unsafe_url', { message: problem.msg, detail: [problem] });
    }
    const endpointId = newId('whk');
    const configId = target.id === '' ? newTraceId() : target.id;
    const json = Buffer.from(JSON.stringify({ ...target, id: configId }));
    return { endpointId, configId, sealed: await cipher.seal(json, pushContext(endpointId)) };
  }

  return {
    vet,
    insert,

    async create(scope: TaskScope, taskId: string, target: PushTarget): Promise<ShownPush> {
      await requireTask(scope, taskId);
      const push = await vet(target);
      await withTransaction(pool, (tx) => insert(tx, taskId, push));
      return { id: push.configId, taskId, url: target.url };
    },

    async list(scope: TaskScope, taskId: string): Promise<ShownPush[]> {
      await requireTask(scope, taskId);
      return Promise.all((await listPush(pool, taskId)).map(shown));
    },

    async get(scope: TaskScope, taskId: string, configId: string): Promise<ShownPush> {
      await requireTask(scope, taskId);
      const row = (await listPush(pool, taskId)).find((each) => each.configId === configId);
      if (!row) throw new MarketError('not_found');
      return shown(row);
    },

    /**
     * Removes a config, if it exists (A2A 1.0 §3.1.10: idempotent). Its unfinished deliveries end as `gone`. Throws
     * `not_found` for a task that is not the caller's.
     */
    async remove(scope: TaskScope, taskId: string, configId: string): Promise<void> {
      await requireTask(scope, taskId);
      if (isStorable(configId)) await deletePush(pool, taskId, configId);
    },
  };
}

export type PushConfigs = ReturnType<typeof createPushConfigs>;

/** The sealing context of a push target. */
export function pushContext(endpointId: string): Record<string, string> {
  return { purpose: 'a2a-push', endpoint_id: endpointId };
}

export async function unsealTarget(cipher: Cipher, row: PushRow): Promise<PushTarget> {
  const json = await cipher.unseal(row.sealed, pushContext(row.endpointId));
  return JSON.parse(json.toString()) as PushTarget;
}

/** Throws `validation_failed` unless all parts can be sent in HTTP headers; this prevents header injection. */
function requireSendable({ id, url, token, scheme, credentials }: PushTarget): void {
  const isVisible = (text: string) => text.length <= MAX_TEXT && /^[\x20-\x7e]*$/.test(text);
  const isToken = scheme === '' || /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(scheme);
  const ok =
    url.length > 0 &&
    url.length <= MAX_TEXT &&
    isVisible(token) &&
    isVisible(credentials) &&
    isToken &&
    /^[\x21-\x7e]{0,255}$/.test(id) &&
    !id.includes('/');
  if (!ok)
    throw new MarketError('validation_failed', { message: 'The push notification config is not valid.' });
}
