import type { Request, RequestHandler, Response } from 'express';
import { Passport, Strategy } from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { Operation } from '../../contract/operation';
import { MarketError } from '../../domain/errors';
import type { Account } from '../../services/accounts/accounts';
import type { ApiKeys, KeyCaller } from '../../services/accounts/api-keys';
import type { OauthGrants } from '../../services/oauth/oauth-grants';
import type { Principal } from './principal';
import { fromCallback, loadedSession, SESSION_COOKIE, type Sessions } from './sessions';

export interface PassportDeps {
  sessions: Pick<Sessions, 'open'>;
  apiKeys: Pick<ApiKeys, 'authenticate'>;
  oauthGrants: Pick<OauthGrants, 'authenticate'>;
  /** Checks email and password. Resolves without an account if they are wrong. */
  signIn: (req: Request, email: string, password: string) => Promise<Account | null | undefined>;
}

export interface MarketPassport {
  /**
   * Authenticates the caller of an operation by a key or a token, where the operation accepts one, else by the session.
   * Throws `not_authenticated` for an invalid key or token.
   */
  authenticate: (operation: Operation, req: Request, res: Response) => Promise<Principal | undefined>;
  /** The caller of the key or the token of a request, read anew; undefined if it is not valid any more. */
  byCredential: (req: Request) => Promise<KeyCaller | undefined>;
  /** Authenticates the user of the request's session. */
  bySession: (req: Request, res: Response) => Promise<Principal | undefined>;
  /** Authenticates by email and password. Throws `invalid_credentials`. */
  byPassword: (req: Request, res: Response) => Promise<Account>;
  /** Starts a session with a new id. The request's session must be open. */
  logIn: (req: Request, res: Response, account: Account) => Promise<void>;
}

/**
 * Configures passport, which authenticates every caller: by the strategies `api-key` and `access-token`, by its own
 * `session`, and at a login by `local`.
 */
export function createPassport(deps: PassportDeps): MarketPassport {
  const passport = new Passport();
  const credentials = [apiKeyCredential(deps.apiKeys), accessTokenCredential(deps.oauthGrants)];
  for (const credential of credentials) passport.use(new CredentialStrategy(credential));
  passport.use(localStrategy(deps.signIn));
  passport.serializeUser((account, done) => done(null, (account as Account).userId));
  // The query that read the session has read its user.
  passport.deserializeUser<string, Request>((req, _userId, done) => done(null, principalOf(req)));
  const restore = passport.session() as RequestHandler;

  /** The user that the first strategy to succeed returns; false if none does. */
  const attempt = <T>(strategies: string[], req: Request, res: Response) =>
    fromCallback<T | false>((done) => {
      const run = passport.authenticate(strategies, { session: false }, done) as RequestHandler;
      void run(req, res, done);
    });
  const bySession: MarketPassport['bySession'] = async (req, res) => {
    if (!req.headers.cookie?.includes(SESSION_COOKIE)) return undefined;
    const loaded = await deps.sessions.open(req, res);
    // Passport would write a session back whose user is gone.
    if (!loaded?.user) return undefined;
    await fromCallback((done) => void restore(req, res, done));
    return req.user as Principal | undefined;
  };
  return {
    bySession,
    async byCredential(req) {
      for (const { read, find } of credentials) {
        const value = read(req);
        if (value !== undefined) return find(value, req);
      }
      return undefined;
    },
    async authenticate(operation, req, res) {
      const accepted = credentialStrategies(operation);
      const given = credentials.filter(
        ({ name, read }) => accepted.includes(name) && read(req) !== undefined,
      );
      const strategies = given.map(({ name }) => name);
      const caller = strategies.length > 0 && (await attempt<Principal>(strategies, req, res));
      return caller || bySession(req, res);
    },
    async byPassword(req, res) {
      const account = await attempt<Account>(['local'], req, res);
      if (!account) throw new MarketError('invalid_credentials');
      return account;
    },
    async logIn(req, res, account) {
      await fromCallback((done) => void passport.initialize()(req, res, done));
      await fromCallback((done) => req.logIn(account, done));
    },
  };
}

/**
 * The strategies that come before the session, in their order. An API key takes precedence over a token, and both take
 * precedence over a session cookie. Where an operation accepts no token, the header `Authorization` has no meaning.
 */
function credentialStrategies({ auth, acceptsToken, knowsCaller }: Operation): string[] {
  if (knowsCaller) return ['api-key', 'access-token'];
  const names = typeof auth === 'object' ? ['api-key'] : [];
  return acceptsToken ? [...names, 'access-token'] : names;
}

interface Credential {
  name: string;
  /** The credential of a request; undefined if it has none. */
  read: (req: Request) => string | undefined;
  find: (credential: string, req: Request) => Promise<KeyCaller | undefined>;
  refusal: string;
}

/**
 * Authenticates by a credential in a header. A request without one goes on to the next strategy. An invalid one refuses
 * the request with `not_authenticated`, even with a valid session.
 */
class CredentialStrategy extends Strategy {
  override readonly name: string;

  constructor(private readonly credential: Credential) {
    super();
    this.name = credential.name;
  }

  override authenticate(req: Request): void {
    const { read, find, refusal } = this.credential;
    const value = read(req);
    if (value === undefined) return this.fail();
    find(value, req).then(
      (caller) => {
        if (!caller) return this.error(new MarketError('not_authenticated', { message: refusal }));
        const key = { keyId: caller.keyId, scopes: caller.scopes };
        const { user, person, memberRole } = caller;
        this.success({ ...user, person, memberRole, secondFactor: false, key } satisfies Principal);
      },
      (error: unknown) => this.error(error),
    );
  }
}

function apiKeyCredential(apiKeys: PassportDeps['apiKeys']): Credential {
  return {
    name: 'api-key',
    read: (req) => req.get('x-api-key'),
    find: (key) => apiKeys.authenticate(key),
    refusal: 'This API key is not valid.',
  };
}

/** OAuth access tokens (docs/oauth.md). A token is valid for one agent, or for the market. */
function accessTokenCredential(oauthGrants: PassportDeps['oauthGrants']): Credential {
  return {
    name: 'access-token',
    read: (req) => /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1],
    find: (token, req) => oauthGrants.authenticate(token, audienceOf(req), acceptsMarket(req)),
    refusal: 'This access token is not valid here.',
  };
}

/** The agent whose endpoint a request is for; null for that of the market. */
function audienceOf({ params: { agent_id: agentId } }: Request): string | null {
  return typeof agentId === 'string' ? agentId : null;
}

/** The market's own tokens call any agent by A2A, where the market has no endpoint of its own. */
function acceptsMarket({ originalUrl }: Request): boolean {
  return originalUrl.startsWith('/v1/a2a/');
}

function localStrategy(signIn: PassportDeps['signIn']): LocalStrategy {
  return new LocalStrategy(
    { usernameField: 'email', passReqToCallback: true, session: false },
    (req, email, password, done) => {
      signIn(req, email, password).then(
        (account) => done(null, account ?? false),
        (error: unknown) => done(error),
      );
    },
  );
}

/** The user of the request's session; false if the session has none. */
function principalOf({ session }: Request): Principal | false {
  const user = loadedSession(session)?.user;
  if (!user) return false;
  const { chosenOwner: _chosen, owner: _owner, ...account } = user;
  const { provider: providerId, providerOrg: orgId } = session;
  const provider = providerId !== undefined && orgId !== undefined ? { providerId, orgId } : undefined;
  const secondFactor = session.secondFactor === true;
  return { ...account, person: account.userId, memberRole: null, secondFactor, provider, key: null };
}
