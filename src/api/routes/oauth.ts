import type { Config } from '../../config';
import {
  oauthAuthorize,
  oauthDecide,
  oauthKeys,
  oauthA2aMetadata,
  oauthMarketMetadata,
  oauthRegister,
  oauthResourceMetadata,
  oauthRevoke,
  oauthServerMetadata,
  oauthToken,
  openidConfiguration,
} from '../../contract/oauth';
import {
  changeOauthGrant,
  createOauthProgram,
  listOauthGrants,
  revokeOauthGrant,
  rotateOauthProgram,
} from '../../contract/oauth-grants';
import { oauthDecideDevice, oauthDevice, oauthDeviceAuthorization } from '../../contract/oauth-devices';
import type { BodyOf } from '../../contract/operation';
import type { GrantLimits } from '../../domain/accounts/oauth-grant';
import { DEVICE_GRANT } from '../../domain/accounts/device-login';
import { clientNetwork } from '../../kit/client-address';
import { parseStrictJson } from '../../kit/json/strict-json';
import type { AccountsService } from '../../services/accounts/accounts';
import type { ServingVersions } from '../../services/catalogue/serving-version-cache';
import type { OauthClients } from '../../services/oauth/oauth-clients';
import type { OauthDevices } from '../../services/oauth/oauth-devices';
import type { OauthGrants } from '../../services/oauth/oauth-grants';
import type { OauthPrograms } from '../../services/oauth/oauth-programs';
import type { OauthTokens } from '../../services/oauth/oauth-tokens';
import { sendJson } from '../answers/errors';
import { contextOf } from '../identity/context';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import type { Authentication } from '../identity/authentication';
import { makerOf, ownMaker } from '../identity/principal';
import { decide, showQuestion } from '../oauth/decision';
import { decideDevice, showDevice } from '../oauth/device';
import { answeringFailures, writeErrorPage, writeOauthError } from '../oauth/failures';
import { readForm } from '../oauth/form';
import { NO_LIMITS } from '../oauth/limit-form';
import { limitsIn } from '../requests/key-limits';
import { openidMetadata, resourceMetadata, scopesOf, serverMetadata } from '../oauth/metadata';
import { createPageTokens } from '../oauth/page-token';
import { MarketError } from '../../domain/errors';
import { isJsonUtf8 } from '../bodies/body';
import { idPosition, listPage } from '../requests/list-page';
import { grantView, programView, registrationView } from '../views/oauth';

export interface OauthRouteDeps {
  config: Config;
  accounts: AccountsService;
  authentication: Authentication;
  oauthClients: OauthClients;
  oauthDevices: OauthDevices;
  oauthGrants: OauthGrants;
  oauthPrograms: OauthPrograms;
  oauthTokens: OauthTokens;
  servingVersions: ServingVersions;
}

const GRANT_POSITION = idPosition('ogr');

/**
 * OAuth for the MCP and A2A endpoints (docs/oauth.md): metadata, registration, consent, tokens, and the account's
 * grants.
 */
export function oauthRoutes(binder: RouteBinder, deps: OauthRouteDeps): void {
  const { origin, protocol } = new URL(deps.config.PUBLIC_ORIGIN);
  binder.bind(oauthServerMetadata, async () => serverMetadata(origin));
  binder.bind(openidConfiguration, async () => openidMetadata(origin));
  binder.bind(oauthKeys, async () => ({ keys: [] }));
  binder.bind(oauthResourceMetadata, async ({ params }) => resourceMetadata(origin, params.agent_id));
  binder.bind(oauthA2aMetadata, async ({ params }) => resourceMetadata(origin, params.agent_id, 'a2a'));
  binder.bind(oauthMarketMetadata, async () => resourceMetadata(origin, null));
  bindPages(binder, deps, { origin, isSecure: protocol === 'https:' });
  bindTokens(binder, deps);
  bindGrants(binder, deps);
  bindPrograms(binder, deps);
}

function bindPages(
  binder: RouteBinder,
  deps: OauthRouteDeps,
  { origin, isSecure }: { origin: string; isSecure: boolean },
): void {
  const { accounts, authentication, servingVersions, oauthClients: clients, oauthGrants: grants } = deps;
  const pageTokens = createPageTokens({ secret: deps.config.SESSION_SECRET, isSecure });
  const requiresConfirmedEmail = deps.config.EMAIL_CONFIRMATION === 'required';
  const pageDeps = {
    accounts,
    authentication,
    servingVersions,
    clients,
    grants,
    pageTokens,
    origin,
    requiresConfirmedEmail,
  };
  for (const path of ['/oauth/authorize', '/oauth/device']) {
    binder.router.use(path, (req, _res, next) => {
      contextOf(req).writeError = writeErrorPage;
      next();
    });
  }
  binder.bind(oauthAuthorize, ({ req, res }) => showQuestion(pageDeps, req, res));
  binder.bind(oauthDecide, ({ req, res, readBytes }) =>
    decide(pageDeps, req, res, () => readForm(req, readBytes)),
  );
  const deviceDeps = { ...pageDeps, devices: deps.oauthDevices };
  binder.bind(oauthDevice, ({ req, res }) => showDevice(deviceDeps, req, res));
  binder.bind(oauthDecideDevice, ({ req, res, readBytes }) =>
    decideDevice(deviceDeps, req, res, () => readForm(req, readBytes)),
  );
}

function bindTokens(binder: RouteBinder, { oauthClients, oauthDevices, oauthTokens }: OauthRouteDeps): void {
  for (const path of ['/oauth/register', '/oauth/device_authorization', '/oauth/token', '/oauth/revoke']) {
    binder.router.use(path, (req, _res, next) => {
      contextOf(req).writeError = writeOauthError;
      next();
    });
  }
  binder.bind(oauthRegister, ({ req, res, readBytes }) =>
    answeringFailures(res, async () => {
      if (!isJsonUtf8(req.headers['content-type'])) throw new MarketError('unsupported_media_type');
      const document = await readBytes((bytes) => parseStrictJson(bytes).value);
      return registrationView(await oauthClients.register(document, clientNetwork(req.ip)));
    }),
  );
  binder.bind(oauthDeviceAuthorization, ({ req, res, readBytes }) =>
    answeringFailures(res, async () =>
      oauthDevices.begin(await readForm(req, readBytes), clientNetwork(req.ip)),
    ),
  );
  binder.bind(oauthToken, ({ req, res, readBytes }) =>
    answeringFailures(res, async (): Promise<typeof HANDLED> => {
      const form = await readForm(req, readBytes);
      const isDevice = form['grant_type'] === DEVICE_GRANT;
      const from = { authorization: req.get('authorization'), network: clientNetwork(req.ip) };
      sendJson(res, isDevice ? await oauthDevices.redeem(form) : await oauthTokens.exchange(form, from));
      return HANDLED;
    }),
  );
  binder.bind(oauthRevoke, ({ req, res, readBytes }) =>
    answeringFailures(res, async () => {
      const form = await readForm(req, readBytes);
      if (!(await oauthDevices.revoke(form))) await oauthTokens.revoke(form);
      return undefined;
    }),
  );
}

function bindGrants(binder: RouteBinder, { oauthGrants }: OauthRouteDeps): void {
  binder.bind(listOauthGrants, ({ principal, query }) => {
    const { userId } = principal;
    const createdBy = ownMaker(principal);
    return listPage(
      { list: ['oauth grants', userId, createdBy], position: GRANT_POSITION, query },
      ([beforeId], limit) => oauthGrants.list(userId, { limit, beforeId, createdBy }),
      { position: ({ grantId }) => [grantId], view: grantView },
    );
  });
  binder.bind(changeOauthGrant, async ({ principal, params, body }) => {
    const limits = grantLimitsIn(body);
    const { userId } = principal;
    return grantView(await oauthGrants.change(userId, params.grant_id, limits, ownMaker(principal)));
  });
  binder.bind(revokeOauthGrant, async ({ principal, params }) => {
    await oauthGrants.revoke(principal.userId, params.grant_id, ownMaker(principal));
    return undefined;
  });
}

function bindPrograms(binder: RouteBinder, { oauthPrograms, servingVersions }: OauthRouteDeps): void {
  binder.bind(createOauthProgram, async ({ principal, body }) => {
    const { name, agent_id: agentId = null, scopes = scopesOf(agentId) } = body;
    if (agentId !== null) await servingVersions.ofAgent(agentId, principal.userId);
    const limits = { ...NO_LIMITS, ...grantLimitsIn(body) };
    const { userId } = principal;
    const wish = { userId, createdBy: makerOf(principal) ?? null, name, agentId, scopes, limits };
    return programView(await oauthPrograms.register(wish));
  });
  binder.bind(rotateOauthProgram, async ({ principal, params, body }) => {
    const change = { graceSeconds: body.grace_seconds ?? 0, createdBy: ownMaker(principal) };
    return programView(await oauthPrograms.rotate(principal.userId, params.grant_id, change));
  });
}

/** The limits that a body names. */
function grantLimitsIn(body: BodyOf<typeof changeOauthGrant>): Partial<GrantLimits> {
  const { pinned_agents: pinnedAgents, ...rest } = body;
  return { ...limitsIn(rest), ...(pinnedAgents !== undefined && { pinnedAgents }) };
}
