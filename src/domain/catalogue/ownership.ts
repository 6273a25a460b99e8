/** How the owner of an agent proves control of the host of its endpoint (ADR 0208, ADR 0416). */

/** In the order in which they are looked for. An agent with a manifest can answer the challenge. */
export const PROOF_METHODS = ['challenge', 'file', 'dns', 'header'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

/** `refused`: the host says that it belongs to another account. */
export type OwnershipState = 'proven' | 'unproven' | 'refused';

/** How long a proof that was found is not looked for, and how long it holds while it is not found again. */
export const PROOF_DAYS = { fresh: 1, holds: 30 } as const;

/** A file at the root of the endpoint's origin, with the token on a line of its own. */
export const PROOF_PATH = '/.well-known/agent-marketplace.txt';
/** A TXT record at this label below the host, which is the token. */
const PROOF_LABEL = '_agent-marketplace';
/** A header of an answer of the endpoint, which is the token. */
export const PROOF_HEADER = 'X-Marketplace-Token';
/** Below the endpoint of a manifest, beside `/invoke`. */
const CHALLENGE_PATH = '/ownership';

/** Where a proof is looked for. `dnsName` is null for an address without a name. */
export interface ProofPlaces {
  fileUrl: string;
  dnsName: string | null;
  header: string;
  /** Null for an agent without a manifest. */
  challengeUrl: string | null;
}

export function proofPlaces({ origin, hostname, href }: URL, hasManifest: boolean): ProofPlaces {
  const isAddress = hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
  return {
    fileUrl: `${origin}${PROOF_PATH}`,
    dnsName: isAddress ? null : `${PROOF_LABEL}.${hostname}`,
    header: PROOF_HEADER,
    challengeUrl: hasManifest ? `${href.replace(/\/$/, '')}${CHALLENGE_PATH}` : null,
  };
}

/** True if a line of the file is the token. */
export function hasTokenLine(file: string, token: string): boolean {
  return file.split('\n').some((line) => line.trim() === token);
}

const OWNER_LINE = /^owner\s{0,8}:\s{0,8}(\S{1,100})$/i;

/** True if lines of the file, such as `owner: dev_ada-lovelace`, name accounts, and none of them is `developerId`. */
export function namesAnotherOwner(file: string, developerId: string | null): boolean {
  const owners = file.split('\n').flatMap((line) => OWNER_LINE.exec(line.trim())?.[1] ?? []);
  return owners.length > 0 && !owners.some((owner) => owner === developerId);
}

/** Why a version must not serve from a host that says that it belongs to another account. */
export const OWNED_BY_OTHERS = `The host says in ${PROOF_PATH} that it belongs to another account. Add a line with your own developer id, such as owner: dev_…, or remove those of others. Then ask for another verification.`;
