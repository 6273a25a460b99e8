/** How the owner of a registered agent proves control of the host of its endpoint (ADR 0208). */

/** In the order in which they are looked for. */
export const PROOF_METHODS = ['file', 'dns', 'header'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

/** A file at the root of the endpoint's origin, with the token on a line of its own. */
const PROOF_PATH = '/.well-known/agent-marketplace.txt';
/** A TXT record at this label below the host, which is the token. */
const PROOF_LABEL = '_agent-marketplace';
/** A header of an answer of the endpoint, which is the token. */
export const PROOF_HEADER = 'X-Marketplace-Token';

/** Where a proof is looked for. `dnsName` is null for an address without a name. */
export interface ProofPlaces {
  fileUrl: string;
  dnsName: string | null;
  header: string;
}

export function proofPlaces({ origin, hostname }: Pick<URL, 'origin' | 'hostname'>): ProofPlaces {
  const isAddress = hostname.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(hostname);
  return {
    fileUrl: `${origin}${PROOF_PATH}`,
    dnsName: isAddress ? null : `${PROOF_LABEL}.${hostname}`,
    header: PROOF_HEADER,
  };
}

/** True if a line of the file is the token. */
export function hasTokenLine(file: string, token: string): boolean {
  return file.split('\n').some((line) => line.trim() === token);
}
