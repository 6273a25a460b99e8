import { changeRegistration, getRegistration, registerAgent } from '../../contract/registrations';
import { MarketError } from '../../domain/errors';
import type { VerificationTrigger } from '../../engine/verification';
import type { Authenticators } from '../../services/accounts/authenticators';
import type { Publisher } from '../../services/catalogue/publishing';
import type { Registrations } from '../../services/catalogue/registrations';
import type { RegisteredVersion } from '../../services/catalogue/registration-versions';
import type { Principal } from '../identity/principal';
import { registeredVersionView, registrationView } from '../views/agents';
import type { RouteBinder } from '../binding/route';
import { personOf } from '../identity/principal';

export interface RegistrationRouteDeps {
  authenticators: Pick<Authenticators, 'checkPayoutChange'>;
  registrations: Registrations;
  verificationTrigger: VerificationTrigger;
}

/** POST /v1/agents/register, and GET and PATCH /v1/agents/{agent_id}/registration. */
export function registrationRoutes(binder: RouteBinder, deps: RegistrationRouteDeps): void {
  const { authenticators, registrations, verificationTrigger } = deps;

  async function submitted(version: RegisteredVersion) {
    if (version.toVerify) await verificationTrigger.ask({ ...version, reason: 'published' });
    return registeredVersionView(version);
  }

  binder.bind(registerAgent, async ({ body, principal }) =>
    submitted(await registrations.register(ownerOf(principal), body)),
  );
  binder.bind(changeRegistration, async ({ params, body, principal }) => {
    const { totp_code: code, ...change } = body;
    const allowNewAddress = async () => {
      if (principal.key) throw new MarketError('forbidden', { message: NEEDS_SESSION });
      await authenticators.checkPayoutChange(personOf(principal), codeOf(code));
    };
    return submitted(
      await registrations.change(ownerOf(principal), params.agent_id, change, allowNewAddress),
    );
  });
  binder.bind(getRegistration, async ({ params, principal }) =>
    registrationView(await registrations.get(principal.userId, params.agent_id)),
  );
}

const NEEDS_SESSION =
  'x402.pay_to decides where earnings are paid: log in to change it. API keys and access tokens cannot.';

/** The code of the authenticator app. Throws `validation_failed` for anything that is no text. */
function codeOf(code: unknown): string | undefined {
  if (code === undefined || (typeof code === 'string' && code.length <= 64)) return code;
  const detail = [{ loc: ['body', 'totp_code'], msg: 'must be text', type: 'type' }];
  throw new MarketError('validation_failed', { detail });
}

/** The owner of a registration is the authenticated developer; a body cannot name another. */
function ownerOf({ userId, developerId, registrationPaid }: Principal): Publisher {
  if (developerId === null) throw new MarketError('forbidden');
  return { userId, developerId, registrationPaid };
}
