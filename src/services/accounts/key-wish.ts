/**
 * What is wanted of an API key, by its owner or by a key with the scope `keys:manage` (ADR 0299). No key is wider than
 * the one that makes it; later, the limits of that one hold for it too, where calls are decided.
 */
import { type ApiScope, MAX_CHILD_KEYS } from '../../domain/accounts/api-key';
import type { KeyLimits } from '../../domain/accounts/oauth-grant';
import { type FieldProblem, MarketError } from '../../domain/errors';
import { parseInstant } from '../../domain/instant';
import { creditsToUnits, unitsToCredits } from '../../domain/ledger/money';
import { type ApiKeyRow, countChildren, lockKey, readKey } from '../../stores/accounts/api-keys';
import type { SpendingLimits, StoredLimits } from '../../stores/accounts/key-limits';
import type { Db } from '../../stores/db';

export interface KeyWish {
  name: string;
  scopes: readonly ApiScope[];
  limits: KeyLimits;
  /** ISO 8601; null if the key does not expire. */
  expiresAt: string | null;
}

/** Omitted members keep their values. */
export type KeyChange = { name?: string | undefined } & Partial<KeyLimits>;

const unitsOf = (credits: number | null) => (credits === null ? null : creditsToUnits(credits));

/** Limits as they are stored. */
export const storedLimits = ({ creditCap, callCap, ...rest }: KeyLimits): StoredLimits => ({
  ...rest,
  creditCapUnits: unitsOf(creditCap),
  callCapUnits: unitsOf(callCap),
});

/** A change as it is stored. */
export const storedChange = ({ creditCap, callCap, ...rest }: KeyChange) => ({
  ...rest,
  ...(creditCap !== undefined && { creditCapUnits: unitsOf(creditCap) }),
  ...(callCap !== undefined && { callCapUnits: unitsOf(callCap) }),
});

type Parent = Pick<ApiKeyRow, 'scopes' | 'limits' | 'expiresAt'>;

/**
 * A wish within the limits of the parent, which holds where the wish leaves a limit out. Locks the parent. Throws
 * `not_authenticated` if it has ended, `invalid_state` if it has too many keys, `validation_failed` for a wider key.
 */
export async function narrowed(tx: Db, userId: string, parentId: string, wish: KeyWish): Promise<KeyWish> {
  const lives = await lockKey(tx, userId, parentId);
  const parent = lives && !lives.isExpired ? await readKey(tx, userId, parentId) : undefined;
  if (!parent) throw new MarketError('not_authenticated');
  if ((await countChildren(tx, parentId)) >= MAX_CHILD_KEYS)
    throw new MarketError('invalid_state', {
      message: `A key has at most ${MAX_CHILD_KEYS} keys that it made. Delete one that you no longer use.`,
    });
  const within = withinOf(parent, wish);
  const detail = widerProblems(parent, within);
  if (detail.length > 0) throw new MarketError('validation_failed', { detail });
  return within;
}

const creditsOf = (units: number | null) => (units === null ? null : unitsToCredits(units));

/** The limits of the parent where the wish has none. */
function withinOf({ limits: parent, expiresAt }: Parent, wish: KeyWish): KeyWish {
  const { limits } = wish;
  const inherits = limits.creditCap === null;
  return {
    ...wish,
    expiresAt: wish.expiresAt ?? expiresAt?.toISOString() ?? null,
    limits: {
      creditCap: inherits ? creditsOf(parent.creditCapUnits) : limits.creditCap,
      capWindow: inherits && parent.creditCapUnits !== null ? parent.capWindow : limits.capWindow,
      callCap: limits.callCap ?? creditsOf(parent.callCapUnits),
      leastTrust: limits.leastTrust ?? parent.leastTrust,
      onlyAgents: limits.onlyAgents ?? parent.onlyAgents,
    },
  };
}

function widerProblems(parent: Parent, { scopes, limits, expiresAt }: KeyWish): FieldProblem[] {
  const end = expiresAt === null ? undefined : parseInstant(expiresAt);
  const wider: [string, boolean, string][] = [
    [
      'scopes',
      scopes.some((scope) => !mayPass(parent, scope)),
      `must be among ${passed(parent).join(', ') || 'none'}`,
    ],
    ...limitProblems(parent.limits, limits),
    [
      'expires_at',
      parent.expiresAt !== null && (end === undefined || end > parent.expiresAt),
      `must be at most ${parent.expiresAt?.toISOString()}`,
    ],
  ];
  return wider
    .filter(([, isWider]) => isWider)
    .map(([field, , rule]) => ({
      loc: ['body', field],
      msg: `${rule}, as for the key that makes it`,
      type: 'wider',
    }));
}

function limitProblems(parent: SpendingLimits, limits: KeyLimits): [string, boolean, string][] {
  const cap = creditsOf(parent.creditCapUnits);
  const callCap = creditsOf(parent.callCapUnits);
  return [
    ['credit_cap', cap !== null && (limits.creditCap ?? 0) > cap, `must be at most ${cap}`],
    ['call_cap', callCap !== null && (limits.callCap ?? 0) > callCap, `must be at most ${callCap}`],
    [
      'min_trust_score',
      parent.leastTrust !== null && (limits.leastTrust ?? 0) < parent.leastTrust,
      `must be at least ${parent.leastTrust}`,
    ],
    [
      'agents',
      parent.onlyAgents !== null && (limits.onlyAgents ?? []).some((id) => !parent.onlyAgents?.includes(id)),
      `must be among ${parent.onlyAgents?.join(', ')}`,
    ],
  ];
}

/** A made key makes no keys. */
const passed = (parent: Parent): ApiScope[] => parent.scopes.filter((scope) => scope !== 'keys:manage');
const mayPass = (parent: Parent, scope: ApiScope) => passed(parent).includes(scope);
