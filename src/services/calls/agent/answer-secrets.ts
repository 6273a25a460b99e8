/**
 * What must not appear in an agent's answers: its upstream credential, the host of its endpoint and the credentials in
 * its path and query, and the signatures of the call. An agent that repeats its request would otherwise reveal them to
 * buyers.
 */
import { credentialsInUrl } from '../../../kit/masking/credentials-in-url';
import { createSecret, type Secret, wholeHost } from '../../../kit/masking/masking';
import { secretsInHeader } from '../../../kit/masking/secrets-in-header';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';

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

/** Ordinary words of the path and the query, such as `format=markdown`, are ordinary words of answers, too. */
function endpointTexts(endpointUrl: string): string[] {
  const { host, hostname } = new URL(endpointUrl);
  return [...new Set([...credentialsInUrl(endpointUrl), wholeHost(hostname), wholeHost(host)])];
}

function lengthOf({ texts }: Secret): number {
  return texts.reduce((length, text) => length + text.length, 0);
}
