import type { Request, Response } from 'express';
import type { Config } from '../../config';
import { beginSso, finishSso, permitPasswordLogins } from '../../contract/single-sign-on';
import { clientNetwork } from '../../kit/client-address';
import { ATTEMPT_VALID_MS, type SignIns } from '../../services/sso/sign-ins';
import type { SsoEscape } from '../../services/sso/escape';
import { HANDLED } from '../answers/answer';
import type { RouteBinder } from '../binding/route';
import type { Authentication } from '../identity/authentication';
import { contextOf } from '../identity/context';
import { writeErrorPage } from '../oauth/failures';
import { sendPage } from '../oauth/html';
import { beginPage } from '../oauth/pages';
import { operatorRequestOf } from '../requests/operator-request';

export interface SingleSignOnRouteDeps {
  config: Config;
  authentication: Authentication;
  signIns: SignIns;
  ssoEscape: SsoEscape;
}

/** Binds a login to the browser that began it. */
const COOKIE = 'market_sso';
const SECRET = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);
const PATH = '/v1/auth/sso';

/** Logins by identity providers of organisations. Its answers are redirects and pages of a browser. */
export function singleSignOnRoutes(binder: RouteBinder, deps: SingleSignOnRouteDeps): void {
  const { authentication, signIns } = deps;
  const secure = new URL(deps.config.PUBLIC_ORIGIN).protocol === 'https:';
  const cookie = { httpOnly: true, sameSite: 'lax', secure, path: PATH } as const;
  binder.router.use(PATH, (req, res, next) => {
    contextOf(req).writeError = writeErrorPage;
    // Codes and states stay out of the Referer header of whatever page comes next.
    res.setHeader('Referrer-Policy', 'no-referrer');
    next();
  });

  binder.bind(beginSso, async ({ query, req, res }) => {
    const { email, organisation: orgId, return_to: returnTo } = query;
    const wish = { email, orgId, returnTo };
    // Another site must not log a visitor in: only a click on a page of this service begins (ADR 0398).
    if (isFromOtherSite(req)) {
      const address = `${PATH}?${queryOf(req).toString()}`;
      sendPage(res, 200, beginPage(await signIns.destination(wish), address));
      return HANDLED;
    }
    const { location, browser } = await signIns.begin(wish);
    res.cookie(COOKIE, browser, { ...cookie, maxAge: ATTEMPT_VALID_MS });
    return redirect(res, location);
  });

  binder.bind(finishSso, async ({ params, req, res, traceId }) => {
    const present = await authentication.findSession(req, res);
    const { account, orgId, returnTo } = await signIns.finish({
      providerId: params.provider_id,
      browser: SECRET.exec(req.headers.cookie ?? '')?.[1],
      query: queryOf(req),
      present: present && { userId: present.userId, secondFactor: present.secondFactor },
      network: clientNetwork(req.ip),
      traceId,
    });
    await authentication.startSession(req, res, account, {
      provider: { providerId: params.provider_id, orgId },
    });
    res.clearCookie(COOKIE, cookie);
    return redirect(res, returnTo);
  });

  binder.bind(permitPasswordLogins, async (input) => {
    const orgId = input.params.org_id;
    await deps.ssoEscape.permitPasswordLogins(orgId, operatorRequestOf(input));
    return { org_id: orgId, require_sso: false };
  });
}

/** Browsers that say nothing are old, or read the service without TLS. */
function isFromOtherSite(req: Request): boolean {
  const site = req.get('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

const queryOf = (req: Request) => new URL(req.originalUrl, 'https://market.invalid').searchParams;

function redirect(res: Response, address: string): typeof HANDLED {
  res.statusCode = 303;
  res.setHeader('Location', address);
  res.setHeader('Cache-Control', 'no-store');
  res.end();
  return HANDLED;
}
