/** The public keys with which accounts sign mandates (reference/protocols.md §3.2); never the service's own. */
import { MarketError } from '../../domain/errors';
import { type EcPublicJwk, thumbprint } from '../../kit/crypto/jws';
import { publicKeyOf } from '../../kit/crypto/jws-verify';
import { type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/mandates/mandate-keys';

export type MandateKey = store.MandateKeyRow;

/** Keys that one account may have at a time. */
const MOST_KEYS = 20;

export function createMandateKeys(deps: { pool: DbPool }) {
  const { pool } = deps;

  return {
    /**
     * Registers a public key, or finds it registered. Throws `validation_failed` for coordinates that are no point of
     * P-256 or a `kid` that is not the key's thumbprint, `invalid_state` when the account has too many keys.
     */
    async register(
      userId: string,
      jwk: EcPublicJwk & { kid?: string },
      name: string | null,
    ): Promise<MandateKey> {
      const { crv, kty, x, y } = jwk;
      const publicJwk = { crv, kty, x, y };
      if (!publicKeyOf(publicJwk)) throw wrongKey('x', 'x and y are not a point of P-256');
      const kid = thumbprint(publicJwk);
      if (jwk.kid !== undefined && jwk.kid !== kid)
        throw wrongKey('kid', `the thumbprint of this key is ${kid}`);
      await withTransaction(pool, (tx) =>
        store.insertMandateKey(tx, userId, { kid, publicJwk, name }, MOST_KEYS),
      );
      const key = await store.readMandateKey(pool, userId, kid);
      if (key) return key;
      throw new MarketError('invalid_state', {
        message: `An account has at most ${MOST_KEYS} mandate keys.`,
      });
    },

    /** All of them, the newest first. */
    list: (userId: string): Promise<MandateKey[]> => store.listMandateKeys(pool, userId),

    /** Nothing that the key signed is valid any more; throws `not_found`. */
    async remove(userId: string, kid: string): Promise<void> {
      if (!(await store.deleteMandateKey(pool, userId, kid))) throw new MarketError('not_found');
    },
  };
}

export type MandateKeys = ReturnType<typeof createMandateKeys>;

function wrongKey(member: string, msg: string): MarketError {
  return new MarketError('validation_failed', {
    detail: [{ loc: ['body', 'jwk', member], msg, type: 'jwk' }],
  });
}
