import type { Request, Response } from 'express';
import { MAX_CAP_CREDITS } from '../../domain/accounts/oauth-grant';
import { type ErrorCode, MarketError } from '../../domain/errors';
import { OauthFailure } from '../../kit/oauth/oauth-server';
import type { AccountsService } from '../../services/accounts/accounts';
import type { OauthGrants } from '../../services/oauth/oauth-grants';
import { HANDLED } from '../answers/answer';
import { chosenOwner, type OwnerChoice, ownersWith } from '../identity/owner';
import type { Authentication } from '../identity/authentication';
import {
  type AuthorizationRequest,
  type AuthorizationRequestDeps,
  readAuthorizationRequest,
  RequestProblem,
  withParams,
} from './authorization-request';
import { sendPage } from './html';
import { type LimitTexts, readLimits, textsOf } from './limit-form';
import { NOT_YOUR_OWNER, readOwner } from './owner-field';
import { consentPage, problemPage, returnPage, signInPage, unconfirmedPage } from './pages';
import type { PageTokens } from './page-token';

export interface DecisionDeps extends AuthorizationRequestDeps {
  accounts: Pick<AccountsService, 'find' | 'listActingOwners'>;
  authentication: Pick<Authentication, 'findSession' | 'logIn' | 'endSession'>;
  grants: Pick<OauthGrants, 'permit'>;
  pageTokens: PageTokens;
  /** Whether accounts must confirm their address before they call agents. */
  requiresConfirmedEmail: boolean;
}

/** A request to `/oauth/authorize` on its way. */
interface Visit {
  req: Request;
  res: Response;
  request: AuthorizationRequest;
  /** Path and query of the page, to which its form posts. */
  address: string;
  userId: string | undefined;
  /** The accounts for which the person may decide. */
  owners: readonly OwnerChoice[];
  /** The owner that the session chose. */
  chosen: string | null;
}

export type Form = Readonly<Record<string, string>>;

/** Failures of a sign-in after which the page asks again. */
const REPEATED = new Set<ErrorCode>(['invalid_credentials', 'second_factor_required']);
export const EXPIRED =
  'This page has expired, or its form was sent from elsewhere. Open it again and repeat your choice.';

/** Answers `GET /oauth/authorize`: the page to sign in, or the question to the person who is signed in. */
export async function showQuestion(deps: DecisionDeps, req: Request, res: Response): Promise<typeof HANDLED> {
  return onPage(res, async () => ask(deps, await visitOf(deps, req, res)));
}

/** Answers `POST /oauth/authorize`: signs in, permits, refuses, or ends the session to use another account. */
export async function decide(
  deps: DecisionDeps,
  req: Request,
  res: Response,
  readForm: () => Promise<Form>,
): Promise<typeof HANDLED> {
  return onPage(res, async () => {
    const form = await readForm();
    const visit = await visitOf(deps, req, res);
    const { userId, address } = visit;
    if (!deps.pageTokens.isValid(req, form['csrf'], userId, address))
      return sendPage(res, 403, problemPage(EXPIRED, { host: 'the page', address }));
    if (userId === undefined) return signIn(deps, visit, form);
    if (form['action'] === 'allow') return allow(deps, visit, userId, form);
    if (form['action'] === 'deny') return refuse(deps, visit);
    if (form['action'] === 'switch') await deps.authentication.endSession(req, res);
    return reload(visit);
  });
}

/** Runs `work` and explains a request that cannot go on. Never redirects because of it. */
async function onPage(res: Response, work: () => Promise<void>): Promise<typeof HANDLED> {
  try {
    await work();
  } catch (error) {
    if (error instanceof RequestProblem) sendPage(res, 400, problemPage(error.message, error.back));
    else if (error instanceof OauthFailure) sendPage(res, error.status, problemPage(error.message));
    else throw error;
  }
  return HANDLED;
}

async function visitOf(deps: DecisionDeps, req: Request, res: Response): Promise<Visit> {
  const principal = await deps.authentication.findSession(req, res);
  const all = principal ? await ownersWith(deps.accounts, 'keys', principal) : [];
  const ids = all.map(({ id }) => id);
  const chosen = (principal && chosenOwner(principal, req)?.ownerId) ?? null;
  const request = await readAuthorizationRequest(deps, req, ids);
  const owners = all.filter(({ id }) => request.callers.includes(id));
  return { req, res, request, address: req.originalUrl, userId: principal?.userId, owners, chosen };
}

async function ask(
  deps: DecisionDeps,
  { req, res, request, address, userId, owners, ...visit }: Visit,
  again:
    | {
        status: number;
        problem: string;
        email?: string | undefined;
        given?: LimitTexts | undefined;
        owner?: string | undefined;
      }
    | undefined = undefined,
): Promise<void> {
  const options = {
    action: address,
    csrf: deps.pageTokens.issue(req, res, userId, address),
    problem: again?.problem,
  };
  const status = again?.status ?? 200;
  if (userId === undefined) {
    sendPage(res, status, signInPage(request.question, { ...options, email: again?.email }));
    return;
  }
  const { email, emailConfirmed } = await deps.accounts.find(userId);
  if (deps.requiresConfirmedEmail && !emailConfirmed) {
    sendPage(res, 403, unconfirmedPage({ ...options, email }));
    return;
  }
  const chosen = again?.owner ?? visit.chosen;
  const choice = { owners, chosen, email };
  sendPage(res, status, consentPage(request.question, { ...options, ...choice, given: again?.given }));
}

async function signIn(deps: DecisionDeps, visit: Visit, form: Form): Promise<void> {
  const failed = await signInProblem(deps.authentication, visit.req, visit.res, form);
  return failed ? ask(deps, visit, { status: 401, ...failed }) : reload(visit);
}

/** Signs in by a form. Returns what to say if the page has to ask again. */
export async function signInProblem(
  authentication: Pick<Authentication, 'logIn'>,
  req: Request,
  res: Response,
  form: Form,
): Promise<{ problem: string; email: string } | undefined> {
  const { email = '', password = '' } = form;
  const code = form['totp_code']?.trim();
  req.body = { email, password, ...(code && { totp_code: code }) };
  try {
    await authentication.logIn(req, res);
    return undefined;
  } catch (error) {
    if (!(error instanceof MarketError) || !REPEATED.has(error.code)) throw error;
    return { problem: error.message, email: email.slice(0, 254) };
  }
}

async function allow(deps: DecisionDeps, visit: Visit, userId: string, form: Form): Promise<void> {
  if (deps.requiresConfirmedEmail && !(await deps.accounts.find(userId)).emailConfirmed)
    return ask(deps, visit);
  const { request, res } = visit;
  const { client, redirectUri, codeChallenge, question } = request;
  const again = { given: textsOf(form), owner: form['owner'] };
  const owner = readOwner(visit.owners, form, userId);
  if (!owner) return ask(deps, visit, { ...again, status: 403, problem: NOT_YOUR_OWNER });
  const limits = readLimits(form, question.agentId === null);
  if ('problem' in limits) return ask(deps, visit, { ...again, status: 422, problem: limits.problem });
  const { clientId, name: clientName } = client;
  const { redirectHost, agentId, scopes } = question;
  const permission = {
    userId: owner.id,
    createdBy: owner.role === null ? null : userId,
    clientId,
    clientName,
    redirectUri,
    redirectHost,
    agentId,
    scopes,
    codeChallenge,
  };
  const code = await deps.grants.permit({ ...permission, limits });
  const address = withParams(redirectUri, { code, state: request.state, iss: deps.origin });
  sendPage(
    res,
    200,
    returnPage(
      `“${clientName}” may call ${agentId === null ? 'agents' : 'the agent'}${owner.role === null ? '' : ` for ${owner.name}`}`,
      redirectHost,
      address,
    ),
  );
}

async function refuse(deps: DecisionDeps, { request, res }: Visit): Promise<void> {
  const fields = { error: 'access_denied', error_description: 'The person refused.', state: request.state };
  const address = withParams(request.redirectUri, { ...fields, iss: deps.origin });
  sendPage(res, 200, returnPage('You refused', request.question.redirectHost, address));
}

/** The cap of the form; undefined for a text that is no whole number. */
export function readCap(text = ''): { credits: number | null } | undefined {
  const digits = text.trim();
  if (digits === '') return { credits: null };
  if (!/^\d{1,10}$/.test(digits) || Number(digits) > MAX_CAP_CREDITS) return undefined;
  return { credits: Number(digits) };
}

/** Loads the page again, now that the person is another one. */
export function reload({ res, address }: Pick<Visit, 'res' | 'address'>): void {
  res.statusCode = 303;
  res.setHeader('Location', address);
  res.end();
}
