import type { Request, Response } from 'express';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import { normalizeEmail, type Account, type AccountsService } from '../../services/accounts/accounts';
import type { ApiKeys } from '../../services/accounts/api-keys';
import { ENROL_FIRST, type Authenticators } from '../../services/accounts/authenticators';
import type { OauthGrants } from '../../services/oauth/oauth-grants';
import type { LoginGuard } from '../../services/accounts/login-guard';
import type { SessionList } from '../../services/accounts/session-list';
import { clientNetwork } from '../../kit/client-address';
import { deviceOf } from './device';
import { contextOf, type RequestContext } from './context';
import { createPassport } from './passport';
import { actingPrincipal, mayStillAct, requireRole } from './owner';
import type { OwnerLog } from './owner-log';
import type { Principal } from './principal';
import type { Sessions } from './sessions';

export interface Authentication {
  /**
   * Authenticates the caller of an operation and checks its `auth` and `roles`. Returns null if no caller is required.
   * Throws `not_authenticated`, `insufficient_scope` or `forbidden`.
   */
  authenticate: (
    operation: Operation,
    req: Request,
    res: Response,
    context: RequestContext,
  ) => Promise<Principal | null>;
  /**
   * Checks email, password and, for an account with an authenticator app, its code, and starts a session with a new id.
   * Throws `invalid_credentials` or `second_factor_required`.
   */
  logIn: (req: Request, res: Response) => Promise<Account>;
  /** Starts a session with a new id for an account that was just authenticated in another way. */
  startSession: (req: Request, res: Response, account: Account, begun?: SessionBeginning) => Promise<void>;
  endSession: Sessions['end'];
  /** Notes in the log of an organisation what a member changes. */
  noteChange: OwnerLog['during'];
  /** Whether the key, token or session that authenticated a request is still valid. Rejects if that cannot be read. */
  isStillValid: (req: Request) => Promise<boolean>;
  /** The user of the request's session, for pages that also serve visitors without one. */
  findSession: (req: Request, res: Response) => Promise<Principal | undefined>;
}

/** How a session began, as far as later requests need it. */
export interface SessionBeginning {
  /** True if a code of the authenticator app was given. */
  secondFactor?: boolean;
  /** The identity provider of the login. The session then acts for its organisation. */
  provider?: Principal['provider'];
}

export interface AuthenticationDeps {
  accounts: Pick<AccountsService, 'authenticate' | 'findSession' | 'findActingOwner'>;
  loginGuard: LoginGuard;
  sessions: Sessions;
  ownerLog: OwnerLog;
  publicReads: boolean;
  /** True if callers without credentials may pay for calls by x402. */
  takesPayments: boolean;
  /** The paying address that signed the request; undefined if it has no statement. */
  payerOf?: ((req: Request) => Promise<{ userId: string } | undefined>) | undefined;
  apiKeys: Pick<ApiKeys, 'authenticate'>;
  authenticators: Pick<Authenticators, 'use'>;
  sessionList: Pick<SessionList, 'began'>;
  /** True if an account can only read until its email is confirmed. */
  requiresConfirmedEmail: boolean;
  /** True if operators need an authenticator app. */
  requiresSecondFactor: boolean;
  oauthGrants: Pick<OauthGrants, 'authenticate'>;
}

const MOST_AGENT_CHARACTERS = 200;

/** Passport authenticates callers (`passport.ts`). This decides which of them an operation accepts. */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { sessions } = deps;
  const passport = createPassport({
    ...deps,
    signIn: (req, email, password) => signIn(deps, req, email, password),
  });
  const startSession: Authentication['startSession'] = async (req, res, account, begun = {}) => {
    if (!req.session) await sessions.open(req, res);
    await passport.logIn(req, res, account);
    const { session } = req;
    session.secondFactor = begun.secondFactor ?? false;
    if (begun.provider) {
      session.provider = begun.provider.providerId;
      session.providerOrg = begun.provider.orgId;
      session.owner = begun.provider.orgId;
    }
    session.startedAt = Date.now();
    session.userAgent = req.get('user-agent')?.slice(0, MOST_AGENT_CHARACTERS) ?? '';
    session.network = clientNetwork(req.ip);
    await deps.sessionList.began(account.userId, session.network, deviceOf(req));
  };
  return {
    startSession,
    endSession: sessions.end,
    noteChange: (...change) => deps.ownerLog.during(...change),
    findSession: passport.bySession,
    async isStillValid(req) {
      const { principal } = contextOf(req);
      const key = principal?.key;
      if (key) return (await passport.byCredential(req))?.keyId === key.keyId;
      const user = (await deps.accounts.findSession(req.sessionID))?.user;
      return user?.userId === principal?.person && (!principal || mayStillAct(deps.accounts, principal));
    },
    async authenticate(operation, req, res, context) {
      if (operation.auth === 'public') {
        const known =
          operation.knowsCaller && (await knownCaller(passport.authenticate(operation, req, res)));
        const acting = known && (await knownCaller(permitted(deps, operation, known, req)));
        if (acting) context.principal = acting;
        return acting ?? null;
      }
      const payer = operation.bySignedStatement && (await deps.payerOf?.(req));
      const principal = payer ? principalOf(payer) : await passport.authenticate(operation, req, res);
      if (principal) {
        // Set before authorization, so that a refusal counts against the caller's limits, too.
        context.principal = principal;
        const acting = await actingPrincipal(deps.accounts, operation, principal, req);
        context.principal = acting;
        requireRole(operation, acting);
        return authorize(operation, acting, deps);
      }
      if (isPublicRead(operation, deps.publicReads)) return null;
      if (operation.payable && deps.takesPayments) return null;
      throw refusal(operation, req);
    },
    async logIn(req, res) {
      const account = await passport.byPassword(req, res);
      await startSession(req, res, account, { secondFactor: account.hasAuthenticator });
      return account;
    },
  };
}

async function permitted(
  { accounts }: AuthenticationDeps,
  operation: Operation,
  known: Principal,
  req: Request,
): Promise<Principal> {
  const acting = await actingPrincipal(accounts, operation, known, req);
  requireRole(operation, acting);
  return acting;
}

/** The account of a paying address: a buyer without a mail address and a password. */
function principalOf({ userId }: { userId: string }): Principal {
  return {
    userId,
    person: userId,
    memberRole: null,
    role: 'buyer',
    developerId: null,
    registrationPaid: false,
    emailConfirmed: true,
    hasAuthenticator: false,
    keepsBodies: false,
    secondFactor: false,
    key: null,
  };
}

/** Refusals with which a caller of a public operation is a visitor. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'not_authenticated',
  'not_found',
  'forbidden',
  'second_factor_required',
]);

/** The caller of an operation that is for visitors too: undefined without a valid credential that may read agents. */
async function knownCaller(found: Promise<Principal | undefined>): Promise<Principal | undefined> {
  try {
    const principal = await found;
    const scopes = principal?.key?.scopes;
    return scopes && !scopes.includes('agents:read') && !scopes.includes('agents:invoke')
      ? undefined
      : principal;
  } catch (error) {
    if (error instanceof MarketError && UNKNOWN.has(error.code)) return undefined;
    throw error;
  }
}

function refusal(operation: Operation, req: Request): MarketError {
  const wantsSession = operation.auth === 'session' && req.headers['x-api-key'] !== undefined;
  return new MarketError('not_authenticated', {
    message: wantsSession ? 'This operation needs a session; it takes no API key.' : undefined,
  });
}

type Rules = Pick<AuthenticationDeps, 'requiresConfirmedEmail' | 'requiresSecondFactor'>;

function authorize(operation: Operation, principal: Principal, rules: Rules): Principal {
  if (
    typeof operation.auth === 'object' &&
    principal.key &&
    !principal.key.scopes.includes(operation.auth.scope)
  ) {
    const message = `The API key lacks the scope ${operation.auth.scope}, which this operation needs.`;
    throw new MarketError('insufficient_scope', { message });
  }
  if (operation.roles && !operation.roles.includes(principal.role)) {
    const message = `This operation is for accounts with the role ${operation.roles.join(' or ')}; this account has the role ${principal.role}.`;
    throw new MarketError('forbidden', { message });
  }
  const isOfOperators = operation.roles?.every((role) => role === 'operator') === true;
  const onlyReads = operation.method === 'get' && !isOfOperators;
  if (
    rules.requiresConfirmedEmail &&
    !principal.emailConfirmed &&
    !onlyReads &&
    operation.tag !== 'Accounts'
  ) {
    throw new MarketError('email_unconfirmed');
  }
  if (isOfOperators) requireSecondFactor(principal, rules);
  return principal;
}

/** Operators act only in sessions that began with a code, if they have an authenticator app or must have one. */
function requireSecondFactor({ hasAuthenticator, secondFactor }: Principal, rules: Rules): void {
  if (hasAuthenticator && !secondFactor) {
    throw new MarketError('second_factor_required', {
      message:
        'Log in again with a code of your authenticator app (totp_code): operators act with a second factor.',
    });
  }
  if (rules.requiresSecondFactor && !hasAuthenticator)
    throw new MarketError('forbidden', { message: ENROL_FIRST });
}

function isPublicRead(operation: Operation, publicReads: boolean): boolean {
  return publicReads && typeof operation.auth === 'object' && operation.auth.publicReads === true;
}

/**
 * Checks email and password, then the code of an account with an authenticator app. A wrong code counts for the account
 * (`authenticators.use`), not as a wrong password.
 */
async function signIn(deps: AuthenticationDeps, req: Request, email: string, password: string) {
  const normal = normalizeEmail(email);
  const account = await deps.loginGuard.attempt(normal, clientNetwork(req.ip), () =>
    deps.accounts.authenticate(normal, password),
  );
  if (!account?.hasAuthenticator) return account;
  const { totp_code: code } = req.body as { totp_code?: string };
  if (code === undefined) throw new MarketError('second_factor_required');
  await deps.authenticators.use(account.userId, code);
  return account;
}
