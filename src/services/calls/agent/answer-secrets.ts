/**
 * What must not appear in an agent's answers: its upstream credential, the host, path and query of its endpoint, and
 * the signatures of the call. An agent that repeats its request would otherwise reveal them to buyers.
 */
import { createSecret, type Secret } from '../../../kit/masking/masking';
import { secretsInHeader } from '../../../kit/masking/secrets-in-header';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';

/** Shorter paths, such as `/invoke`, are ordinary words of answers. */
const MIN_PATH_LENGTH = 8;
/** Total length of the secrets whose search is kept ready; 1,000 characters need about 0.4 MB. */
const MAX_KEPT_LENGTH = 65_536;

export interface AnswerSecrets {
  secret: Secret;
  /** The first texts of the secret belong to the credential; the others to the endpoint. */
  credentialTexts: number;
}

/** Returns the function that finds the secrets of a version, and keeps those used last. */
export function createAnswerSecrets() {
  const kept = new Map<string, AnswerSecrets & { credential: string | null }>();
  let keptLength = 0;

  return function of(
    { versionId, endpointUrl }: Pick<ServingVersion, 'versionId' | 'endpointUrl'>,
    credential: string | null,
  ): AnswerSecrets {
    const known = kept.get(versionId);
    if (known) {
      kept.delete(versionId);
      keptLength -= lengthOf(known.secret);
    }
    const secrets =
      known?.credential === credential ? known : { ...newSecrets(endpointUrl, credential), credential };
    kept.set(versionId, secrets);
    keptLength += lengthOf(secrets.secret);
    for (const [oldest, { secret }] of kept) {
      if (keptLength <= MAX_KEPT_LENGTH || oldest === versionId) break;
      kept.delete(oldest);
      keptLength -= lengthOf(secret);
    }
    return secrets;
  };
}

function newSecrets(endpointUrl: string, credential: string | null): AnswerSecrets {
  const texts = credential === null ? [] : secretsInHeader(credential);
  const ofEndpoint = endpointTexts(endpointUrl).filter((text) => !texts.includes(text));
  return { secret: createSecret([...texts, ...ofEndpoint]), credentialTexts: texts.length };
}

function endpointTexts(endpointUrl: string): string[] {
  const { host, hostname, pathname, search, searchParams } = new URL(endpointUrl);
  const path = pathname.replace(/\/$/, '');
  const others = [path, search.slice(1), ...searchParams.values()];
  return [...new Set([hostname, host, ...others.filter((text) => text.length >= MIN_PATH_LENGTH)])];
}

function lengthOf({ texts }: Secret): number {
  return texts.reduce((length, text) => length + text.length, 0);
}
