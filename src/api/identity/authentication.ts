import type { Request, RequestHandler, Response } from 'express';
import { Passport } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import { normalizeEmail, type Account, type AccountsService } from '../../services/accounts/accounts';
import type { ApiKeys } from '../../services/accounts/api-keys';
import type { LoginGuard } from '../../services/accounts/login-guard';
import { clientNetwork } from '../../kit/client-address';
import { contextOf } from '../binding/context';
import { fromCallback } from '../requests/from-callback';
import type { Principal } from './principal';
import { SESSION_COOKIE, type Sessions } from './sessions';

export interface Authentication {
  /**
   * Authenticates the caller of an operation and checks its `auth` and `roles`. Returns null if no caller is required.
   * Throws `not_authenticated`, `insufficient_scope` or `forbidden`.
   */
  authenticate: (operation: Operation, req: Request, res: Response) => Promise<Principal | null>;
  /** Checks email and password and starts a session with a new id. Throws `invalid_credentials`. */
  logIn: (req: Request, res: Response) => Promise<Account>;
  /** Starts a session with a new id for an account that was just authenticated in another way. */
  startSession: (req: Request, res: Response, account: Account) => Promise<void>;
  endSession: Sessions['end'];
}

export interface AuthenticationDeps {
  accounts: Pick<AccountsService, 'authenticate'>;
  loginGuard: LoginGuard;
  sessions: Sessions;
  publicReads: boolean;
  apiKeys: Pick<ApiKeys, 'authenticate'>;
}

/** Passport authenticates users and sessions remember them. This decides which of them an operation accepts. */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const passport = createPassport(deps);
  const { sessions } = deps;
  const startSession: Authentication['startSession'] = async (req, res, account) => {
    if (!req.session) await sessions.open(req, res);
    await initialize(passport, req, res);
    await fromCallback((done) => req.logIn(account, done));
  };
  return {
    startSession,
    endSession: sessions.end,
    async authenticate(operation, req, res) {
      if (operation.auth === 'public') return null;
      const principal = (await byKey(operation, req, deps.apiKeys)) ?? (await bySession(req, res, sessions));
      if (principal) {
        // Set before authorization, so that a refusal counts against the caller's limits, too.
        contextOf(req).principal = principal;
        return authorize(operation, principal);
      }
      if (isOpenRead(operation, deps.publicReads)) return null;
      throw refusal(operation, req);
    },
    async logIn(req, res) {
      const account = await verifyCredentials(passport, req, res);
      await startSession(req, res, account);
      return account;
    },
  };
}

/** An API key takes precedence over a session cookie; an invalid key is 401 even with a valid session. */
async function byKey(
  operation: Operation,
  req: Request,
  apiKeys: AuthenticationDeps['apiKeys'],
): Promise<Principal | undefined> {
  const key = req.get('x-api-key');
  if (typeof operation.auth !== 'object' || key === undefined) return undefined;
  const caller = await apiKeys.authenticate(key);
  if (!caller) throw new MarketError('not_authenticated', { message: 'This API key is not valid.' });
  return { ...caller.user, key: { keyId: caller.keyId, scopes: caller.scopes } };
}

function refusal(operation: Operation, req: Request): MarketError {
  const wantsSession = operation.auth === 'session' && req.headers['x-api-key'] !== undefined;
  return new MarketError('not_authenticated', {
    message: wantsSession ? 'This operation needs a session; it takes no API key.' : undefined,
  });
}

async function bySession(req: Request, res: Response, sessions: Sessions): Promise<Principal | undefined> {
  if (!req.headers.cookie?.includes(SESSION_COOKIE)) return undefined;
  const loaded = await sessions.open(req, res);
  return loaded?.user ? { ...loaded.user, key: null } : undefined;
}

function authorize(operation: Operation, principal: Principal): Principal {
  if (
    typeof operation.auth === 'object' &&
    principal.key &&
    !principal.key.scopes.includes(operation.auth.scope)
  ) {
    throw new MarketError('insufficient_scope');
  }
  if (operation.roles && !operation.roles.includes(principal.role)) throw new MarketError('forbidden');
  return principal;
}

function isOpenRead(operation: Operation, publicReads: boolean): boolean {
  return publicReads && typeof operation.auth === 'object' && operation.auth.publicReads === true;
}

type PassportInstance = InstanceType<typeof Passport>;

function createPassport({ accounts, loginGuard }: AuthenticationDeps): PassportInstance {
  const passport = new Passport();
  passport.use(
    new LocalStrategy(
      { usernameField: 'email', passReqToCallback: true, session: false },
      (req, email, password, done) => {
        const attempt = () => accounts.authenticate(email, password);
        loginGuard.attempt(normalizeEmail(email), clientNetwork(req.ip), attempt).then(
          (account) => done(null, account ?? false),
          (error: unknown) => done(error),
        );
      },
    ),
  );
  passport.serializeUser((account, done) => done(null, (account as Account).userId));
  return passport;
}

/** Adds passport's `logIn` to the request. */
function initialize(passport: PassportInstance, req: Request, res: Response): Promise<void> {
  return fromCallback((done) => {
    void passport.initialize()(req, res, done);
  });
}

async function verifyCredentials(passport: PassportInstance, req: Request, res: Response): Promise<Account> {
  await initialize(passport, req, res);
  const account = await fromCallback<Account | false | null>((done) => {
    const verify = passport.authenticate('local', { session: false }, done) as RequestHandler;
    void verify(req, res, done);
  });
  if (!account) throw new MarketError('invalid_credentials');
  return account;
}
