import {
  addIdentityProvider,
  addProviderDomain,
  changeIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  removeProviderDomain,
  requireSso,
  testIdentityProvider,
  verifyProviderDomain,
} from '../../contract/identity-providers';
import type { Actor, IdentityProviders, Provider } from '../../services/sso/identity-providers';
import type { SignIns } from '../../services/sso/sign-ins';
import type { RouteBinder } from '../binding/route';
import type { Principal } from '../identity/principal';
import { identityProviderView } from '../views/oauth';

export interface IdentityProviderRouteDeps {
  identityProviders: IdentityProviders;
  signIns: Pick<SignIns, 'callbackOf'>;
}

/** Identity providers of organisations, for their owners and admins. */
export function identityProviderRoutes(binder: RouteBinder, deps: IdentityProviderRouteDeps): void {
  const { identityProviders: providers } = deps;
  const view = (provider: Provider) =>
    identityProviderView(provider, deps.signIns.callbackOf(provider.providerId));

  binder.bind(listIdentityProviders, async ({ params, principal }) => {
    const { providers: found, requireSso: required } = await providers.list(params.org_id, principal.userId);
    return { items: found.map(view), require_sso: required };
  });
  binder.bind(addIdentityProvider, async (input) => {
    const { name, issuer, client_id: clientId, client_secret: clientSecret, default_role } = input.body;
    const wish = { name, issuer, clientId, clientSecret, defaultRole: default_role ?? 'buyer' };
    return view(await providers.add(input.params.org_id, actorOf(input), wish));
  });
  binder.bind(changeIdentityProvider, async (input) => {
    const { org_id: orgId, provider_id: providerId } = input.params;
    const {
      name,
      enabled,
      client_id: clientId,
      client_secret: clientSecret,
      default_role: defaultRole,
    } = input.body;
    const wish = {
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { enabled }),
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(defaultRole !== undefined && { defaultRole }),
    };
    return view(await providers.change(orgId, actorOf(input), providerId, wish));
  });
  binder.bind(deleteIdentityProvider, async (input) => {
    const { org_id: orgId, provider_id: providerId } = input.params;
    await providers.remove(orgId, actorOf(input), providerId);
    return undefined;
  });
  binder.bind(testIdentityProvider, ({ params, principal }) =>
    providers.test(params.org_id, principal.userId, params.provider_id),
  );
  binder.bind(requireSso, async (input) => {
    await providers.requireSso(input.params.org_id, actorOf(input), input.body.required);
    return undefined;
  });

  binder.bind(addProviderDomain, async (input) => {
    const { org_id: orgId, provider_id: providerId, domain } = input.params;
    return view(await providers.addDomain(orgId, actorOf(input), providerId, domain));
  });
  binder.bind(verifyProviderDomain, async (input) => {
    const { org_id: orgId, provider_id: providerId, domain } = input.params;
    return view(await providers.verifyDomain(orgId, actorOf(input), providerId, domain));
  });
  binder.bind(removeProviderDomain, async (input) => {
    const { org_id: orgId, provider_id: providerId, domain } = input.params;
    await providers.removeDomain(orgId, actorOf(input), providerId, domain);
    return undefined;
  });
}

/** The member who makes the change. */
const actorOf = ({ principal }: { principal: Principal }): Actor => ({
  personId: principal.userId,
  provider: principal.provider,
});
