/**
 * Mandates (docs/mandates.md): a caller proves that another account pays for its call.
 * `vet` checks everything that the mandate and its proof contain. Checks that depend on other calls (budget, number
 * of calls, used proofs, revocation) are made by `invocation_accept` under the lock of the issuer's wallet.
 */
import { createHash } from 'node:crypto';
import { OWNER_ID_PATTERN } from '../../domain/accounts/roles';
import { MarketError } from '../../domain/errors';
import {
  chainOf,
  type OpenMandate,
  OPEN_MANDATE_TYP,
  type PresentedMandate,
  PROOF_TYP,
  readMandate,
  readProof,
  requireDelegation,
  requirePayee,
} from '../../domain/mandates/mandate';
import { callCeiling, refuseMandate } from '../../domain/mandates/mandate-limits';
import { creditsToUnits } from '../../domain/ledger/money';
import { sha256Hex } from '../../kit/json/canonical-json';
import { thumbprint } from '../../kit/crypto/jws';
import { type CompactJws, isSignedBy, parseJws } from '../../kit/crypto/jws-verify';
import { type DbPool, withTransaction } from '../../stores/db';
import { readMandateKey } from '../../stores/mandates/mandate-keys';
import * as store from '../../stores/mandates/mandates';
import type { MandateUse } from './mandate-use';

/** A call under a mandate, before it is accepted. */
export interface MandateAdmission {
  mandate: PresentedMandate;
  /** The agent to call. */
  agentId: string;
  /** The authenticated account, by session or API key. */
  callerUserId: string;
  /** The idempotency key as the client sent it, without our prefixes; null if there is none. */
  idempotencyKey: string | null;
  /** RFC 8785 JSON of the input as the client sent it. Called only if there is a proof. */
  canonicalInput: () => string;
}

export type Mandate = store.MandateRow;

export function createMandates(deps: { pool: DbPool; origin: string }) {
  const { pool, origin } = deps;

  return {
    /**
     * Verifies a mandate and its proof for one call. Throws `mandate_invalid` with the reason, or `a2a_depth_exceeded`
     * if the chain is too long. Writes nothing.
     */
    async vet(admission: MandateAdmission): Promise<MandateUse> {
      const nowS = Date.now() / 1_000;
      const links = await verifyChain(pool, origin, chainOf(admission.mandate), nowS);
      const chain = links.map((link) => link.mandate);
      const [root] = links;
      const last = links.at(-1);
      if (!root || !last) return refuseMandate('The mandate is missing.');
      const issuerUserId = root.mandate.issuer;
      const levels = toLevels(links);
      const { keepsBodies } = await requireStanding(
        pool,
        { issuerUserId, callerUserId: admission.callerUserId },
        chain,
        levels,
      );
      requirePayee(chain, admission.agentId);
      const proof = readProofOf(admission, origin, last, nowS);
      if (!proof && admission.callerUserId !== issuerUserId) {
        refuseMandate('A caller that is not the issuer of the mandate needs a proof for each call.');
      }
      const ceilingCredits = callCeiling(
        chain.map(({ limits }) => limits),
        proof?.maxCredits ?? null,
      );
      const item = {
        caller_user_id: admission.callerUserId,
        kid: root.kid,
        proof_jti: proof?.jti ?? null,
        levels,
      };
      return { issuerUserId, keepsBodies, ceilingCredits, item };
    },

    /** A mandate of this account that was used at least once. Throws `not_found`. */
    async get(issuerUserId: string, mandateId: string): Promise<Mandate> {
      const mandate = await store.readMandate(pool, issuerUserId, mandateId);
      if (!mandate) throw new MarketError('not_found');
      return mandate;
    },

    /** Lists mandates, newest first. `beforeSeq`: `seq` of the last mandate of the previous page. */
    list: (filter: { issuerUserId: string; beforeSeq?: string | undefined; limit: number }) =>
      store.listMandates(pool, filter),

    /**
     * Revokes a mandate and everything delegated from it permanently, also before its first use. Running calls are not
     * affected. Throws `invalid_state` if the account has revoked 1,000 mandates that were never used.
     */
    async revoke(issuerUserId: string, mandateId: string): Promise<void> {
      const { isUsed, isRevoked } = await store.readRevocation(pool, issuerUserId, mandateId);
      if (isRevoked) return;
      if (isUsed) return store.revokeMandate(pool, issuerUserId, mandateId, false);
      await withTransaction(pool, async (tx) => {
        const count = await store.countUnusedRevocationsForUpdate(tx, issuerUserId);
        if (count >= MOST_UNUSED_REVOCATIONS) throw tooManyRevocations();
        await store.revokeMandate(tx, issuerUserId, mandateId, true);
      });
    },
  };
}

/** Revocations of mandates that no call was accepted under, per account: anybody can make up such ids. */
const MOST_UNUSED_REVOCATIONS = 1_000;

function tooManyRevocations(): MarketError {
  return new MarketError('invalid_state', {
    message:
      `An account revokes at most ${MOST_UNUSED_REVOCATIONS} mandates that were never used. Delete the key that signed ` +
      'them instead: DELETE /v1/mandate-keys/{kid}.',
  });
}

export type Mandates = ReturnType<typeof createMandates>;

interface Link {
  mandate: OpenMandate;
  /** Id of the key that signed it. */
  kid: string;
  /** The compact JWS as presented. */
  text: string;
  jws: CompactJws;
}

/** Verifies a chain from the account's key down to the used mandate. */
async function verifyChain(
  pool: DbPool,
  origin: string,
  texts: readonly string[],
  nowS: number,
): Promise<Link[]> {
  const links: Link[] = [];
  for (const text of texts) {
    const jws = parseOf(text, OPEN_MANDATE_TYP);
    const parent = links.at(-1);
    const kid = parent ? verifyDelegated(jws, parent) : await verifyRoot(pool, jws);
    const mandate = readMandate(jws.claims, { origin, delegated: parent !== undefined, nowS });
    if (parent) requireDelegation(parent.mandate, mandate, base64Hash(parent.text));
    links.push({ mandate, kid, text, jws });
  }
  return links;
}

function parseOf(text: string, typ: string): CompactJws {
  const jws = parseJws(text);
  if (jws?.header.typ !== typ)
    refuseMandate(
      `This is not a JWS with alg ES256, typ ${typ} and no other header members except kid and cty.`,
    );
  return jws;
}

const OWNER_ID = new RegExp(OWNER_ID_PATTERN);

/** Verifies an account's own mandate with the key that the account registered; no other key is accepted. */
async function verifyRoot(pool: DbPool, jws: CompactJws): Promise<string> {
  const { kid } = jws.header;
  const claimed = (jws.claims as { iss?: unknown } | null)?.iss;
  const isAccount = typeof claimed === 'string' && OWNER_ID.test(claimed);
  const isThumbprint = kid !== null && /^[A-Za-z0-9_-]{43}$/.test(kid);
  const key = isAccount && isThumbprint ? await readMandateKey(pool, claimed, kid) : undefined;
  if (!key || !isSignedBy(jws, key.publicJwk)) {
    return refuseMandate('The mandate is not signed with a key that its issuer has registered here.');
  }
  return key.kid;
}

function verifyDelegated(jws: CompactJws, parent: Link): string {
  const { holder } = parent.mandate;
  const kid = holder && thumbprint(holder);
  if (!kid || jws.header.kid !== kid || !isSignedBy(jws, holder)) {
    return refuseMandate('A delegated mandate is not signed with the key of the mandate above it.');
  }
  return kid;
}

/**
 * Refuses revoked mandates, and mandates whose subject is not an active agent. The subject of an account's own mandate
 * must be the account or one of its agents.
 */
async function requireStanding(
  pool: DbPool,
  parties: Record<'issuerUserId' | 'callerUserId', string>,
  chain: readonly OpenMandate[],
  levels: readonly store.MandateLevelItem[],
): Promise<store.MandateStanding> {
  const subjects = chain.map(({ subject }) => subject);
  const ids = levels.map(({ mandate_id }) => mandate_id);
  const standing = await store.readMandateStanding(pool, parties, subjects, ids);
  if (subjects[0] !== parties.issuerUserId && !standing.ownsSubject) {
    refuseMandate('The subject of the mandate is not an agent of its issuer.');
  }
  if (standing.knownSubjects !== new Set(subjects.slice(1)).size) {
    refuseMandate('The subject of a delegated mandate is not an agent.');
  }
  if (standing.revoked) refuseMandate('The mandate was revoked.');
  return standing;
}

function readProofOf(admission: MandateAdmission, origin: string, link: Link, nowS: number) {
  const { mandate, agentId, idempotencyKey } = admission;
  if (mandate.proof === undefined) return undefined;
  const jws = parseOf(mandate.proof, PROOF_TYP);
  const { holder } = link.mandate;
  const isOther = holder && jws.header.kid !== null && jws.header.kid !== thumbprint(holder);
  if (!holder || isOther || !isSignedBy(jws, holder)) {
    return refuseMandate('The proof is not signed with the key of the mandate.');
  }
  return readProof(jws.claims, {
    origin,
    agentId,
    mandate: link.mandate,
    mandateHash: base64Hash(link.text),
    requestHash: requestHash(agentId, idempotencyKey, admission.canonicalInput()),
    nowS,
  });
}

/** SHA-256 of `{agent_id, idempotency_key, input}`; RFC 8785 orders the members like this. */
function requestHash(agentId: string, idempotencyKey: string | null, canonicalInput: string): string {
  const names = `{"agent_id":${JSON.stringify(agentId)},"idempotency_key":${JSON.stringify(idempotencyKey)}`;
  return createHash('sha256').update(names).update(`,"input":${canonicalInput}}`).digest('base64url');
}

function base64Hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function toLevels(links: readonly Link[]): store.MandateLevelItem[] {
  const levels: store.MandateLevelItem[] = [];
  for (const { mandate, kid, jws } of links) {
    const parent = levels.at(-1);
    const { limits } = mandate;
    const units = (credits: number | null) => (credits === null ? null : creditsToUnits(credits));
    levels.push({
      // Delegates choose their jti freely, so it must not be able to collide with a mandate of the issuer.
      mandate_id: parent ? `sub_${sha256Hex(`${parent.mandate_id}\n${mandate.jti}`)}` : mandate.jti,
      jti: mandate.jti,
      parent_id: parent?.mandate_id ?? null,
      depth: levels.length + 1,
      content_sha256: sha256Hex(jws.signed),
      kid,
      subject: mandate.subject,
      max_units: creditsToUnits(limits.budgetCredits),
      max_call_units: units(limits.perCallCredits),
      max_occurrences: limits.maxOccurrences,
      payees: limits.payees,
      not_before: mandate.notBefore === null ? null : toIso(mandate.notBefore),
      expires_at: toIso(mandate.expiresAt),
    });
  }
  return levels;
}

function toIso(seconds: number): string {
  return new Date(Math.floor(seconds * 1_000)).toISOString();
}
