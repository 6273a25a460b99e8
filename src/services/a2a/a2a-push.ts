/**
 * Push notifications of tasks: where a caller wants changes told. Address, token and credentials are sealed and never
 * read back by anyone; the address is admitted like that of an agent, and again at each delivery.
 */
import { MarketError } from '../../domain/errors';
import type { Egress } from '../../egress/agent-call';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId, newTraceId } from '../../kit/ids/ids';
import { isText } from '../../kit/schemas/validator';
import { deletePush, listPush, lockAndCountPush, type PushRow, putPush } from '../../stores/a2a/a2a-push';
import { readTask } from '../../stores/a2a/a2a-tasks';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import type { TaskScope } from './a2a-task-views';

const MAX_PER_TASK = 10;
const MAX_TEXT = 4_096;

/** As the caller wrote it; empty texts mean absent. */
export interface PushTarget {
  id: string;
  url: string;
  token: string;
  scheme: string;
  credentials: string;
}

/** A target that was admitted and sealed, ready to be written. */
export interface SealedPush {
  endpointId: string;
  configId: string;
  sealed: Buffer;
}

/** What is shown of it. */
export interface ShownPush {
  id: string;
  taskId: string;
  url: string;
}

export interface PushConfigsDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'admitUrl'>;
}

export function createPushConfigs(deps: PushConfigsDeps) {
  const { pool, cipher } = deps;

  async function requireTask(scope: TaskScope, taskId: string): Promise<void> {
    if (!(await readTask(pool, taskId, scope))) throw new MarketError('not_found');
  }

  async function shown(row: PushRow): Promise<ShownPush> {
    const { url } = await openTarget(cipher, row);
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

  /** Throws `validation_failed`, and `unsafe_url` for an address that nothing may be sent to. */
  async function admit(target: PushTarget): Promise<SealedPush> {
    requireSendable(target);
    const verdict = await deps.egress.admitUrl(target.url);
    if (!verdict.ok) {
      throw new MarketError('unsafe_url', { message: `The push address is refused: ${verdict.rule}.` });
    }
    const endpointId = newId('whk');
    const configId = target.id === '' ? newTraceId() : target.id;
    const json = Buffer.from(JSON.stringify({ ...target, id: configId }));
    return { endpointId, configId, sealed: await cipher.seal(json, pushContext(endpointId)) };
  }

  return {
    admit,
    insert,

    async create(scope: TaskScope, taskId: string, target: PushTarget): Promise<ShownPush> {
      await requireTask(scope, taskId);
      const push = await admit(target);
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

    /** Deliveries that have begun end as `gone`. */
    async remove(scope: TaskScope, taskId: string, configId: string): Promise<void> {
      await requireTask(scope, taskId);
      if (!isText(configId) || !(await deletePush(pool, taskId, configId)))
        throw new MarketError('not_found');
    },
  };
}

export type PushConfigs = ReturnType<typeof createPushConfigs>;

/** The context under which a caller's address and credentials are sealed. */
export function pushContext(endpointId: string): Record<string, string> {
  return { purpose: 'a2a-push', endpoint_id: endpointId };
}

export async function openTarget(cipher: Cipher, row: PushRow): Promise<PushTarget> {
  const json = await cipher.open(row.sealed, pushContext(row.endpointId));
  return JSON.parse(json.toString()) as PushTarget;
}

/** Headers are built from it: no byte may end one. */
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
