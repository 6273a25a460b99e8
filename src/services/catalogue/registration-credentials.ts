/** The upstream credential of a registration: it stays with the endpoint that it was given for. */
import {
  type Registration,
  type RegistrationDocument,
  registrationOf,
} from '../../domain/catalogue/registration';
import type { Db } from '../../stores/db';
import { refusalOf } from './manifest-check';
import type { UpstreamAuth, UpstreamCredentials } from './upstream-credentials';

interface CredentialDeps {
  credentials: Pick<UpstreamCredentials, 'store' | 'keepOnly'>;
}

/**
 * Requires the credential again when the endpoint moves to another host: a stored credential must not be sent to a new
 * host by someone who does not know it.
 */
export function requireSameOrigin(current: Registration, changed: Registration): void {
  if (originOf(current) === originOf(changed)) return;
  const msg = 'must be given again when the endpoint moves to another host, or cleared with an empty key';
  throw refusalOf([{ loc: ['body', 'upstream_auth', 'key'], msg, type: 'required' }]);
}

export async function storeCredential(
  { credentials }: CredentialDeps,
  tx: Db,
  agentId: string,
  registration: Registration,
  credential: UpstreamAuth | undefined,
): Promise<void> {
  if (credential) await credentials.store(tx, { agentId, ...endpointOf(registration) }, credential);
}

const endpointOf = (registration: Registration) => ({ endpointUrl: registration.access_config.endpoint_url });
const originOf = (registration: Registration) => new URL(endpointOf(registration).endpointUrl).origin;

/**
 * Stores the credential for the endpoint of the version that was made. The serving version keeps its own for as long as it
 * serves. What is stored for an endpoint that the agent once left is not used when it comes back.
 */
export async function moveCredential(
  deps: CredentialDeps,
  tx: Db,
  agentId: string,
  moved: {
    before: RegistrationDocument;
    serving: RegistrationDocument | undefined;
    made: RegistrationDocument;
    credential: UpstreamAuth | undefined;
  },
): Promise<void> {
  const endpoints = [moved.serving, moved.before].flatMap((document) =>
    document ? [endpointOf(registrationOf(document)).endpointUrl] : [],
  );
  const { credentials } = deps;
  await credentials.keepOnly(tx, agentId, endpoints);
  const made = registrationOf(moved.made);
  await storeCredential(deps, tx, agentId, made, moved.credential);
  await credentials.keepOnly(tx, agentId, [
    endpointOf(made).endpointUrl,
    ...endpoints.slice(0, moved.serving ? 1 : 0),
  ]);
}
