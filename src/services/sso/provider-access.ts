/** Access to providers: the client with its secret, and the metadata of the issuer, which is kept for ten minutes. */
import { MarketError } from '../../domain/errors';
import {
  type Openid,
  type ProviderClient,
  ProviderError,
  type ServerMetadata,
} from '../../egress/openid/openid';
import { BoundedMap } from '../../kit/bounded-map';
import type { Cipher } from '../../kit/crypto/cipher';
import type { ProviderRow } from '../../stores/sso/identity-providers';
import { providerContext } from './provider-context';

const KEPT_MS = 10 * 60_000;
/** A provider that does not answer is asked again after this time, whatever number of logins begin. */
const FAILED_MS = 10_000;
const MOST_KEPT = 500;

interface Kept {
  server: Promise<ServerMetadata>;
  until: number;
}

export interface ProviderAccess {
  /** The client of a provider and the metadata of its issuer. Throws `ProviderError`. */
  open: (provider: ProviderRow) => Promise<{ client: ProviderClient; server: ServerMetadata }>;
  /** The same, with metadata that is read now. */
  openAnew: (provider: ProviderRow) => Promise<{ client: ProviderClient; server: ServerMetadata }>;
}

export function createProviderAccess({ cipher, openid }: { cipher: Cipher; openid: Openid }): ProviderAccess {
  const kept = new BoundedMap<string, Kept>(MOST_KEPT);

  function serverOf(client: ProviderClient): Promise<ServerMetadata> {
    const key = `${client.issuer} ${client.clientId}`;
    const known = kept.get(key);
    if (known && known.until > Date.now()) return known.server;
    const fresh: Kept = { server: openid.discover(client), until: Date.now() + KEPT_MS };
    fresh.server.catch(() => (fresh.until = Date.now() + FAILED_MS));
    kept.set(key, fresh);
    return fresh.server;
  }

  async function clientOf({
    providerId,
    issuer,
    clientId,
    sealedSecret,
  }: ProviderRow): Promise<ProviderClient> {
    const secret = await cipher.unseal(sealedSecret, providerContext(providerId));
    return { issuer, clientId, clientSecret: secret.toString() };
  }

  return {
    async open(provider) {
      const client = await clientOf(provider);
      return { client, server: await serverOf(client) };
    },
    async openAnew(provider) {
      const client = await clientOf(provider);
      kept.delete(`${client.issuer} ${client.clientId}`);
      return { client, server: await serverOf(client) };
    },
  };
}

/** Runs a step at a provider. A failure of the provider is `forbidden` with its reason, and never an error of ours. */
export async function atProvider<T>({ name }: Pick<ProviderRow, 'name'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const message = `The sign-in at “${name}” failed: ${error.message}. Try again, or ask an admin of your organisation to test the connection.`;
    throw new MarketError('forbidden', { message, cause: error });
  }
}
