/**
 * Webhook endpoints of accounts (contract, "Webhooks"). URLs are checked by the same rules as agents' endpoints, when
 * they are set and again at each delivery. Secrets are shown once, when they are created. All operations throw
 * `not_found` unless the caller owns the endpoint.
 */
import { type FieldProblem, MarketError } from '../../domain/errors';
import type { EventType } from '../../domain/webhooks/event';
import {
  type DisabledReason,
  MAX_SECRETS,
  MAX_WEBHOOKS_PER_ACCOUNT,
  mayHearOfOthers,
  rotateSecrets,
  secretsAt,
  typesWithoutAgent,
} from '../../domain/webhooks/webhook';
import type { Egress } from '../../egress/agent-call';
import { urlProblem } from '../../egress/url-rules';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { newSigningKey, newSigningSecret, publicKeyOf } from '../../kit/crypto/webhook-signature';
import { requestMail } from '../../stores/accounts/mails';
import { readAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import {
  countWebhooksForUpdate,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  readWebhook,
  updateWebhook,
  type WebhookRow,
} from '../../stores/webhooks/webhooks';
import { refusalOf } from '../catalogue/manifest-check';
import { unsealWebhook, sealWebhook, type WebhookTarget } from './webhook-secrets';

export interface WebhookWish {
  url: string;
  types: readonly EventType[];
  agentId: string | null;
}

export type WebhookPatch = Partial<WebhookWish> & { enabled?: boolean };

/** An endpoint as shown to its owner. */
export interface Webhook {
  webhookId: string;
  url: string;
  types: EventType[];
  agentId: string | null;
  disabledReason: DisabledReason | null;
  /** Until when the previous secret also signs. */
  previousSecretUntil: Date | null;
  /** `whpk_…`, which verifies v1a; null for a webhook without a key pair. */
  publicKey: string | null;
  createdAt: Date;
  updatedAt: Date;
}

/** An endpoint with its secret, which is shown only this once. */
export type IssuedWebhook = Webhook & { secret: string };

export interface WebhooksDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'vetUrl'>;
}

export function createWebhooks({ pool, cipher, egress }: WebhooksDeps) {
  async function shown(row: WebhookRow): Promise<Webhook> {
    return toWebhook(row, await unsealWebhook(cipher, row));
  }

  async function own(userId: string, webhookId: string): Promise<WebhookRow> {
    const row = await readWebhook(pool, webhookId);
    if (row?.userId !== userId) throw new MarketError('not_found');
    return row;
  }

  return {
    own,

    /**
     * Throws one 422 with every invalid field of a creation, or of a change of `current`: the problems of its form, of
     * its URL, and of types that no agent has. Must not be called in a transaction, because it resolves the host.
     */
    async requireValid(
      body: Record<string, unknown>,
      ofForm: FieldProblem[],
      current?: Pick<Webhook, 'types' | 'agentId'>,
    ): Promise<void> {
      const { url, types = current?.types, agent_id: agentId = current?.agentId } = body;
      const isAgent = typeof agentId === 'string' && !ofForm.some(({ loc }) => loc[1] === 'agent_id');
      const verdict = typeof url === 'string' && url !== '' ? await egress.vetUrl(url) : undefined;
      const problems = [
        ...ofForm,
        ...(verdict && !verdict.ok ? [urlProblem(['body', 'url'], verdict.rule)] : []),
        ...(isAgent ? typeProblems(types) : []),
      ];
      if (problems.length > 0) throw refusalOf(problems);
    },

    /** Creates an endpoint from a body that `requireValid` accepted. */
    async create(userId: string, wish: WebhookWish): Promise<IssuedWebhook> {
      await requireAudience(pool, userId, wish);
      const secret = newSigningSecret();
      const webhookId = newId('whk');
      const keys = [{ secret: newSigningKey(), untilMs: null }];
      const target = { url: wish.url, secrets: [{ secret, untilMs: null }], keys };
      const sealed = await sealWebhook(cipher, webhookId, target);
      const row = await withTransaction(pool, async (tx) => {
        if ((await countWebhooksForUpdate(tx, userId)) >= MAX_WEBHOOKS_PER_ACCOUNT) throw tooMany();
        return insertWebhook(tx, {
          webhookId,
          userId,
          types: [...wish.types],
          agentId: wish.agentId,
          sealed,
        });
      });
      return { ...toWebhook(row, target), secret };
    },

    /** The account's endpoints, newest first. */
    async list(userId: string, page: { limit: number; beforeId: string | undefined }) {
      const { rows, total } = await listWebhooks(pool, userId, page);
      return { rows: await Promise.all(rows.map(shown)), total };
    },

    get: async (userId: string, webhookId: string): Promise<Webhook> => shown(await own(userId, webhookId)),

    /** Deletes an endpoint. Pending deliveries to it are not sent. */
    async delete(userId: string, webhookId: string): Promise<void> {
      if (!(await deleteWebhook(pool, userId, webhookId))) throw new MarketError('not_found');
    },
    ...createWebhookChanges({ pool, cipher, own }),
  };
}

export type Webhooks = ReturnType<typeof createWebhooks>;

interface ChangeDeps {
  pool: DbPool;
  cipher: Cipher;
  own: (userId: string, webhookId: string) => Promise<WebhookRow>;
}

function createWebhookChanges({ pool, cipher, own }: ChangeDeps) {
  return {
    /**
     * Changes an endpoint by a body that `requireValid` accepted; omitted fields keep their value. An enabled endpoint
     * receives events from then on.
     */
    async update(userId: string, webhookId: string, patch: WebhookPatch): Promise<Webhook> {
      await own(userId, webhookId);
      return withTransaction(pool, async (tx) => {
        const row = await lockOwn(tx, userId, webhookId);
        const before = await unsealWebhook(cipher, row);
        const target = { ...before, url: patch.url ?? before.url };
        const agentId = patch.agentId === undefined ? row.agentId : patch.agentId;
        const types = [...(patch.types ?? row.types)];
        // Existing subscriptions stay valid even if the agent was delisted meanwhile.
        if (patch.types ?? patch.agentId) await requireAudience(tx, userId, { types, agentId });
        const disabledReason =
          patch.enabled === undefined ? row.disabledReason : patch.enabled ? null : 'owner';
        const sealed = await sealWebhook(cipher, webhookId, target);
        if (target.url !== before.url)
          await requestMail(tx, { recipient: userId, kind: 'webhook_url_changed', subject: webhookId });
        return toWebhook(
          await updateWebhook(tx, webhookId, { types, agentId, sealed, disabledReason }),
          target,
        );
      });
    },

    /**
     * Issues a new secret and a new key pair; previous ones also sign during the grace period. Throws
     * `invalid_state` if too many do.
     */
    async rotate(userId: string, webhookId: string, graceSeconds: number): Promise<IssuedWebhook> {
      return withTransaction(pool, async (tx) => {
        const row = await lockOwn(tx, userId, webhookId);
        const before = await unsealWebhook(cipher, row);
        const secret = newSigningSecret();
        const times = { nowMs: Date.now(), graceMs: graceSeconds * 1_000 };
        const target = {
          ...before,
          secrets: rotateSecrets(before.secrets, secret, times),
          keys: rotateSecrets(before.keys ?? [], newSigningKey(), times),
        };
        if (target.secrets.length > MAX_SECRETS) throw tooManySecrets();
        const sealed = await sealWebhook(cipher, webhookId, target);
        await requestMail(tx, { recipient: userId, kind: 'webhook_secret_changed', subject: webhookId });
        return { ...toWebhook(await updateWebhook(tx, webhookId, { ...row, sealed }), target), secret };
      });
    },
  };
}

async function lockOwn(tx: Db, userId: string, webhookId: string): Promise<WebhookRow> {
  const row = await lockWebhook(tx, userId, webhookId);
  if (!row) throw new MarketError('not_found');
  return row;
}

/**
 * Checks that the account may subscribe to an agent's events. Its own agents allow all types; agents of others allow
 * only public types and only while they are listed. Throws `not_found` otherwise, as for agents that do not exist.
 */
async function requireAudience(
  db: Db,
  userId: string,
  { types, agentId }: Pick<WebhookWish, 'types' | 'agentId'>,
): Promise<void> {
  if (agentId === null) return;
  const agent = await readAgent(db, agentId);
  const isListed = agent?.status === 'active' && agent.listed && agent.servingVersionId !== null;
  const isOwn = agent?.developerUserId === userId;
  if (!isOwn && !(isListed && mayHearOfOthers(types))) throw new MarketError('not_found');
}

/** The problem of types that no agent has, in a webhook for an agent. */
function typeProblems(types: unknown): FieldProblem[] {
  const pointless = Array.isArray(types) ? typesWithoutAgent(types as EventType[]) : [];
  if (pointless.length === 0) return [];
  const msg = `${pointless.join(', ')} is not an event of agents; create another webhook without agent_id for it`;
  return [{ loc: ['body', 'types'], msg, type: 'no_agent' }];
}

function tooMany(): MarketError {
  const message = `An account has at most ${MAX_WEBHOOKS_PER_ACCOUNT} webhooks. Delete one that you no longer use.`;
  return new MarketError('invalid_state', { message });
}

function tooManySecrets(): MarketError {
  const message =
    'Too many secrets sign at once. Rotate with grace_seconds 0, or wait until older secrets expire.';
  return new MarketError('invalid_state', { message });
}

function toWebhook(row: WebhookRow, { url, secrets, keys }: WebhookTarget): Webhook {
  const { webhookId, types, agentId, disabledReason, createdAt, updatedAt } = row;
  const untilMs = secretsAt(secrets, Date.now()).flatMap((each) => each.untilMs ?? []);
  const previousSecretUntil = untilMs.length > 0 ? new Date(Math.max(...untilMs)) : null;
  const publicKey = keys?.[0] ? publicKeyOf(keys[0].secret) : null;
  const times = { previousSecretUntil, createdAt, updatedAt };
  return { webhookId, url, types, agentId, disabledReason, publicKey, ...times };
}
