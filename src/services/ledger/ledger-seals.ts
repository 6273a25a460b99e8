import { digestTerms } from '../../domain/ledger/ledger-digest';
import { canonicalJson } from '../../kit/json/canonical-json';
import type { Cipher } from '../../kit/crypto/cipher';
import { type EcPublicJwk, importSigningKey, thumbprint } from '../../kit/crypto/jws';
import { isSignedBy, parseJws } from '../../kit/crypto/jws-verify';
import type { Db } from '../../stores/db';
import type { Finding } from '../../stores/ledger/ledger-checks';
import { type DigestRow, listDigests } from '../../stores/ledger/ledger-digests';
import { listPublicKeys, readSealedPrivate } from '../../stores/evidence/signing-keys';
import { SEAL_TYPE } from './ledger-digests';
import { signingKeyContext } from '../evidence/signing-keys';

const MOST_DAYS = 1_000_000;

/**
 * Finds problems of the seals of digests, oldest day first. A seal is verified with the public key that made it, also
 * after rotations. Someone with write access to the tables could add a key of their own, so with `cipher`, the
 * service's master keys must also decrypt the private key of each.
 */
export async function brokenSeals(db: Db, cipher?: Cipher): Promise<Finding[]> {
  const { rows } = await listDigests(db, { limit: MOST_DAYS });
  const published = await listPublicKeys(db);
  const keys = new Map(published.map(({ kid, publicJwk }) => [kid, publicJwk]));
  const foreign = new Map<string, boolean>();
  const findings: Finding[] = [];
  for (const digest of rows.reverse()) {
    const { kid, day } = digest;
    if (cipher && !foreign.has(kid)) foreign.set(kid, !(await isOurs(db, cipher, kid)));
    if (!isSealed(digest, keys.get(kid)))
      findings.push({ subject: `day ${day}`, problem: 'its seal does not match its digest' });
    else if (foreign.get(kid))
      findings.push({
        subject: `day ${day}`,
        problem: `it was sealed with key ${kid}, which our master keys do not decrypt`,
      });
  }
  return findings;
}

function isSealed(digest: DigestRow, key: EcPublicJwk | undefined): boolean {
  const jws = parseJws(digest.seal);
  if (!jws || !key || thumbprint(key) !== digest.kid) return false;
  const { typ, kid } = jws.header;
  const isSame = canonicalJson(jws.claims) === canonicalJson(digestTerms(digest));
  return typ === SEAL_TYPE && kid === digest.kid && isSame && isSignedBy(jws, key);
}

async function isOurs(db: Db, cipher: Cipher, kid: string): Promise<boolean> {
  const sealed = await readSealedPrivate(db, kid);
  try {
    importSigningKey(await cipher.unseal(sealed ?? Buffer.alloc(0), signingKeyContext(kid)), kid);
    return true;
  } catch {
    return false;
  }
}
