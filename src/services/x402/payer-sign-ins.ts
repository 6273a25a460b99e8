/** Authenticates a paying address by a statement that it signed for one request (ADR 0313). */
import { MarketError } from '../../domain/errors';
import { readSignIn } from '../../domain/x402/sign-in';
import { EgressError } from '../../egress/egress-error';
import { signerOf, textDigest } from '../../kit/crypto/evm-address';
import type { DbPool } from '../../stores/db';
import { findPayer } from '../../stores/x402/x402-payments';
import { purgeSignIns, useSignIn } from '../../stores/x402/x402-refunds';
import type { X402Rail } from './x402-rail';

export interface PayerSignInsDeps {
  pool: DbPool;
  rail: X402Rail | undefined;
  /** The public address of the marketplace. */
  origin: string;
}

/** An address that has paid before. */
export interface SignedInPayer {
  userId: string;
  /** In lower case. */
  address: string;
}

const MOST_PURGED = 1_000;

export function createPayerSignIns({ pool, rail, origin }: PayerSignInsDeps) {
  const { host: domain } = new URL(origin);

  async function isSigned(open: X402Rail, address: string, message: string, signature: string) {
    const digest = textDigest(message);
    if (signerOf(digest, signature)?.toLowerCase() === address.toLowerCase()) return true;
    const { number } = await open.chain.block();
    if (!(await open.chain.isContract(address, number))) return false;
    return open.chain.acceptsSignature(address, digest, signature, number);
  }

  return {
    /**
     * The account of the address that signed the statement for this path. A statement counts once. Throws
     * `not_authenticated` with what is wrong, and `not_ready` while the chain must be asked and does not answer.
     */
    async authenticate(value: unknown, path: string): Promise<SignedInPayer> {
      if (!rail) throw new MarketError('not_authenticated');
      const place = { domain, uri: `${origin}${path}`, network: rail.target.network };
      const read = readSignIn(value, place, Date.now());
      if (typeof read === 'string') throw refused(read);
      const { message, signature, nonce, expiresAt: endsAt } = read;
      const address = read.address.toLowerCase();
      const signed = await isSigned(rail, address, message, signature).catch((error: unknown) => {
        throw error instanceof EgressError ? away(error) : error;
      });
      if (!signed) throw refused('the signature is not that of the address');
      const userId = await findPayer(pool, `${place.network}:${address}`);
      if (userId === undefined) throw refused('this address has paid nothing here');
      if (!(await useSignIn(pool, { address, nonce, endsAt }))) throw refused('its nonce was used before');
      return { userId, address };
    },

    purge: () => purgeSignIns(pool, MOST_PURGED),
  };
}

export type PayerSignIns = ReturnType<typeof createPayerSignIns>;

function refused(why: string): MarketError {
  return new MarketError('not_authenticated', { message: `SIGN-IN-WITH-X is not valid: ${why}.` });
}

function away(cause: EgressError): MarketError {
  return new MarketError('not_ready', {
    message: 'The signature of a contract cannot be verified at the moment. Sign again and retry.',
    retryAfterSeconds: 5,
    cause,
  });
}
