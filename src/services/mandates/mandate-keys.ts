/** The public keys that verify an account's mandates (docs/mandates.md). They are not the service's own. */
import { type FieldProblem, MarketError } from '../../domain/errors';
import { type EcPublicJwk, thumbprint } from '../../kit/crypto/jws';
import { publicKeyOf } from '../../kit/crypto/jws-verify';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/mandates/mandate-keys';

export type MandateKey = store.MandateKeyRow;

export interface MandateKeyPage {
  afterMs?: string | undefined;
  afterKid?: string | undefined;
  limit: number;
}

/** How many keys one account may have at a time. */
const MOST_KEYS = 20;

export function createMandateKeys(deps: { pool: DbPool }) {
  const { pool } = deps;

  return {
    /**
     * Registers a public key; does nothing if it is already registered. Throws `validation_failed` if the coordinates
     * are not a point of P-256 or `kid` is not the key's thumbprint, `invalid_state` if the account has too many keys.
     */
    async register(
      userId: string,
      jwk: EcPublicJwk & { kid?: string },
      name: string | null,
    ): Promise<MandateKey> {
      const { crv, kty, x, y } = jwk;
      const publicJwk = { crv, kty, x, y };
      const detail = keyProblems(jwk);
      if (detail.length > 0) throw new MarketError('validation_failed', { detail });
      const kid = thumbprint(publicJwk);
      await withTransaction(pool, (tx) =>
        store.insertMandateKey(tx, userId, { kid, publicJwk, name }, MOST_KEYS),
      );
      const key = await store.readMandateKey(pool, userId, kid);
      if (key) return key;
      throw new MarketError('invalid_state', {
        message: `An account has at most ${MOST_KEYS} mandate keys. Delete one that you no longer use.`,
      });
    },

    /**
     * A page of keys, newest first. An account has few keys, so all are read. The position is the creation time in
     * milliseconds and the key id of the last key of the previous page, which may have been removed since.
     */
    async list(userId: string, { afterMs, afterKid = '', limit }: MandateKeyPage) {
      const keys = await store.listMandateKeys(pool, userId);
      const follows = ({ createdAt, kid }: MandateKey) =>
        afterMs === undefined ||
        createdAt.getTime() < Number(afterMs) ||
        (createdAt.getTime() === Number(afterMs) && kid > afterKid);
      return { rows: keys.filter(follows).slice(0, limit), total: keys.length };
    },

    /** All keys of an account, for everybody. Empty for an unknown account. */
    published: (userId: string): Promise<MandateKey[]> => store.listMandateKeys(pool, userId),

    /** Deletes a key. Everything that it signed becomes invalid. Throws `not_found`. */
    async remove(userId: string, kid: string): Promise<void> {
      if (!(await store.deleteMandateKey(pool, userId, kid))) throw new MarketError('not_found');
    },
  };
}

export type MandateKeys = ReturnType<typeof createMandateKeys>;

/**
 * Problems of a key of the right form: its point and its thumbprint. A `kid` that is no text is left to the check of
 * the form.
 */
export function keyProblems({ kid, ...jwk }: EcPublicJwk & { kid?: unknown }): FieldProblem[] {
  const { crv, kty, x, y } = jwk;
  const publicJwk = { crv, kty, x, y };
  if (!publicKeyOf(publicJwk)) return [wrongKey('x', 'must be a point of P-256, together with y')];
  const known = thumbprint(publicJwk);
  return typeof kid !== 'string' || kid === known
    ? []
    : [wrongKey('kid', `must be the thumbprint of this key, ${known}`)];
}

function wrongKey(member: string, msg: string): FieldProblem {
  return { loc: ['body', 'jwk', member], msg, type: 'jwk' };
}
