import { changeRegistration, getRegistration, registerAgent } from '../../contract/registrations';
import { MarketError } from '../../domain/errors';
import type { VerificationTrigger } from '../../engine/verification';
import type { Publisher } from '../../services/catalogue/publishing';
import type { RegisteredVersion, Registrations } from '../../services/catalogue/registrations';
import type { Principal } from '../identity/principal';
import { registeredVersionView, registrationView } from '../views/agents';
import type { RouteBinder } from '../binding/route';

export interface RegistrationRouteDeps {
  registrations: Registrations;
  verificationTrigger: VerificationTrigger;
}

/** POST /v1/agents/register, and GET and PATCH /v1/agents/{agent_id}/registration. */
export function registrationRoutes(binder: RouteBinder, deps: RegistrationRouteDeps): void {
  const { registrations, verificationTrigger } = deps;

  async function submitted(version: RegisteredVersion) {
    if (version.toVerify) await verificationTrigger.ask({ ...version, reason: 'published' });
    return registeredVersionView(version);
  }

  binder.bind(registerAgent, async ({ body, principal }) =>
    submitted(await registrations.register(ownerOf(principal), body)),
  );
  binder.bind(changeRegistration, async ({ params, body, principal }) =>
    submitted(await registrations.change(ownerOf(principal), params.agent_id, body)),
  );
  binder.bind(getRegistration, async ({ params, principal }) =>
    registrationView(await registrations.get(principal.userId, params.agent_id)),
  );
}

/** The owner of a registration is the authenticated developer; a body cannot name another. */
function ownerOf({ userId, developerId, registrationPaid }: Principal): Publisher {
  if (developerId === null) throw new MarketError('forbidden');
  return { userId, developerId, registrationPaid };
}
