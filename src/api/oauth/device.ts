import type { Request, Response } from 'express';
import { MAX_CAP_CREDITS } from '../../domain/accounts/oauth-grant';
import { MarketError } from '../../domain/errors';
import { clientNetwork } from '../../kit/client-address';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import type { AccountsService } from '../../services/accounts/accounts';
import type { OauthDevices } from '../../services/oauth/oauth-devices';
import { HANDLED } from '../answers/answer';
import { chosenOwner, type OwnerChoice, ownersWith } from '../identity/owner';
import type { Authentication } from '../identity/authentication';
import { codePage, deviceDonePage, devicePage, deviceSignInPage } from './device-pages';
import { EXPIRED, readCap, reload, type Form, signInProblem } from './decision';
import { sendPage } from './html';
import { NOT_YOUR_OWNER, readOwner } from './owner-field';
import { problemPage, unconfirmedPage } from './pages';
import type { PageTokens } from './page-token';

export interface DeviceDeps {
  accounts: Pick<AccountsService, 'find' | 'listActingOwners'>;
  authentication: Pick<Authentication, 'findSession' | 'logIn' | 'endSession'>;
  devices: Pick<OauthDevices, 'find' | 'decide'>;
  pageTokens: PageTokens;
  /** Whether accounts must confirm their address before they call agents. */
  requiresConfirmedEmail: boolean;
}

interface Visit {
  req: Request;
  res: Response;
  /** Path and query of the page, to which its form posts. */
  address: string;
  /** The code of the address, as it was typed; empty if there is none. */
  code: string;
  userId: string | undefined;
  /** The accounts for which the person may decide. */
  owners: readonly OwnerChoice[];
  /** The owner that the session chose. */
  chosen: string | null;
}

const UNKNOWN =
  'No login waits for this code: it may be mistyped, used or older than ten minutes. Run the command again for a new one.';

/** Answers `GET /oauth/device`: asks to sign in, then for the code, then whether the device may have a key. */
export async function showDevice(deps: DeviceDeps, req: Request, res: Response): Promise<typeof HANDLED> {
  await ask(deps, await visitOf(deps, req, res));
  return HANDLED;
}

/** Answers `POST /oauth/device`: signs in, permits, refuses, or ends the session to use another account. */
export async function decideDevice(
  deps: DeviceDeps,
  req: Request,
  res: Response,
  readForm: () => Promise<Form>,
): Promise<typeof HANDLED> {
  try {
    const form = await readForm();
    const visit = await visitOf(deps, req, res);
    await act(deps, visit, form);
  } catch (error) {
    if (!(error instanceof OauthFailure)) throw error;
    sendPage(res, error.status, problemPage(error.message));
  }
  return HANDLED;
}

async function act(deps: DeviceDeps, visit: Visit, form: Form): Promise<void> {
  const { req, res, userId, address, code } = visit;
  if (!deps.pageTokens.isValid(req, form['csrf'], userId, address))
    return sendPage(res, 403, problemPage(EXPIRED, { host: 'the page', address: '/oauth/device' }));
  if (userId === undefined) {
    const failed = await signInProblem(deps.authentication, req, res, form);
    return failed ? ask(deps, visit, { status: 401, ...failed }) : reload(visit);
  }
  const allows = form['action'] === 'allow';
  if (!allows && form['action'] !== 'deny') {
    if (form['action'] === 'switch') await deps.authentication.endSession(req, res);
    return reload(visit);
  }
  if (allows && (await isUnconfirmed(deps, userId))) return ask(deps, visit);
  const owner = readOwner(visit.owners, allows ? form : {}, userId);
  if (!owner) return ask(deps, visit, { status: 403, problem: NOT_YOUR_OWNER });
  const cap = allows ? readCap(form['credit_cap']) : { credits: null };
  if (cap === undefined) {
    const problem = `The spending cap must be a whole number of credits up to ${MAX_CAP_CREDITS}.`;
    const given = { cap: form['credit_cap']?.slice(0, 20), owner: form['owner'] };
    return ask(deps, visit, { status: 422, problem, ...given });
  }
  const login = await deps.devices.find(code, { userId, network: clientNetwork(req.ip) });
  const forOwner = { userId: owner.id, approvedBy: owner.role === null ? null : userId };
  const done =
    login && (await deps.devices.decide(login.userCode, forOwner, { allows, creditCap: cap.credits }));
  if (!done) return sendPage(res, 404, codePage({ problem: UNKNOWN }));
  sendPage(res, 200, deviceDonePage(allows, owner.name));
}

async function ask(
  deps: DeviceDeps,
  { req, res, address, code, userId, owners, ...visit }: Visit,
  again?: {
    status: number;
    problem: string;
    email?: string;
    cap?: string | undefined;
    owner?: string | undefined;
  },
): Promise<void> {
  const csrf = deps.pageTokens.issue(req, res, userId, address);
  const options = { action: address, csrf, problem: again?.problem };
  const status = again?.status ?? 200;
  if (userId === undefined)
    return sendPage(res, status, deviceSignInPage({ ...options, email: again?.email }));
  const { email, emailConfirmed } = await deps.accounts.find(userId);
  if (deps.requiresConfirmedEmail && !emailConfirmed)
    return sendPage(res, 403, unconfirmedPage({ ...options, email }));
  if (code === '') return sendPage(res, 200, codePage());
  const login = await deps.devices.find(code, { userId, network: clientNetwork(req.ip) });
  if (!login) return sendPage(res, 404, codePage({ problem: UNKNOWN }));
  const choice = { owners, chosen: again?.owner ?? visit.chosen, email };
  sendPage(res, status, devicePage(login, { ...options, ...choice, cap: again?.cap }));
}

async function isUnconfirmed(deps: DeviceDeps, userId: string): Promise<boolean> {
  return deps.requiresConfirmedEmail && !(await deps.accounts.find(userId)).emailConfirmed;
}

/** Throws `validation_failed` for a code that is there twice. */
async function visitOf(deps: DeviceDeps, req: Request, res: Response): Promise<Visit> {
  const code = req.query['user_code'] ?? '';
  if (typeof code !== 'string') {
    const detail = [{ loc: ['query', 'user_code'], msg: 'must be there once', type: 'string' }];
    throw new MarketError('validation_failed', { detail });
  }
  const principal = await deps.authentication.findSession(req, res);
  // The address is the page's own: a form posts nowhere else, whatever else the query has.
  const address =
    code === '' ? '/oauth/device' : `/oauth/device?user_code=${encodeURIComponent(code.slice(0, 40))}`;
  const owners = principal ? await ownersWith(deps.accounts, 'keys', principal) : [];
  const chosen = (principal && chosenOwner(principal, req)?.ownerId) ?? null;
  return { req, res, address, code, userId: principal?.userId, owners, chosen };
}
