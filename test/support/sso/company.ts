/** An organisation whose members log in at a real OpenID provider, on a market of its own. */
import request from 'supertest';
import { newId } from '../../../src/kit/ids/ids';
import { startDns, type DnsRecords } from '../agents/dns-server';
import { register, startMarket, type TestMarket, type TestUser } from '../market';
import { openBrowser } from './browser';
import { type Claims, startIdentityProvider, type IdentityProvider } from './identity-provider';

export interface ProviderView {
  provider_id: string;
  redirect_uri: string;
  domains: { domain: string; txt_name: string; txt_value: string; verified_at: string | null }[];
}

/** The mail domain that the organisation has proven. */
export const DOMAIN = 'company.test';

export interface Company {
  market: TestMarket;
  idp: IdentityProvider;
  owner: TestUser;
  orgId: string;
  provider: ProviderView;
  /** What the name server of the market answers. */
  records: DnsRecords;
  as: (user: Pick<TestUser, 'cookie'>) => ReturnType<typeof request.agent>;
  /** A person of the company at the provider, the only one whom it knows from now on. */
  newPerson: (more?: Claims) => Promise<{ subject: string; email: string }>;
  signedIn: (subject: string) => Promise<TestUser>;
  registered: (email: string) => Promise<TestUser>;
  stop: () => Promise<void>;
}

/** Where a browser begins a login. */
export const begin = () => `/v1/auth/sso?email=someone@${DOMAIN}`;
export const providersOf = (orgId: string) => `/v1/organisations/${orgId}/identity-providers`;

/** Starts a market, a provider at a loopback address, and an organisation that has proven its domain. */
export async function startCompany(host: string): Promise<Company> {
  const records: DnsRecords = {};
  const dns = await startDns(records);
  const market = await startMarket({ operations: false, env: { EGRESS_DNS_SERVERS: dns.address } });
  const idp = await startIdentityProvider(host);
  const owner = await register(market, 'buyer');
  const orgId = await organisationOf(market, owner);
  const as: Company['as'] = (user) => request.agent(market.url).set('cookie', user.cookie);
  const body = {
    name: 'Example login',
    issuer: idp.issuer,
    client_id: 'market',
    client_secret: idp.clientSecret,
  };
  const added = await as(owner).post(providersOf(orgId)).send(body).expect(201);
  const provider = added.body as ProviderView;
  await idp.start({ redirectUri: provider.redirect_uri });
  const company: Company = {
    market,
    idp,
    owner,
    orgId,
    provider,
    records,
    as,
    ...peopleOf(market, idp),
    async stop() {
      await idp.stop();
      await market.stop();
      await dns.stop();
    },
  };
  await prove(company);
  return company;
}

/** A new organisation of which the person is the owner. */
export async function organisationOf(
  { owner }: Pick<TestMarket, 'owner'>,
  { userId, email }: TestUser,
): Promise<string> {
  const id = newId('org');
  await owner.query(
    `INSERT INTO users (user_id, email, password_hash, display_name, role, kind, email_confirmed_at)
     VALUES ($1, $1, '', 'Example Ltd', 'buyer', 'organisation', now())`,
    [id],
  );
  await owner.query('INSERT INTO organisations (org_id, contact_email, created_by) VALUES ($1, $2, $3)', [
    id,
    email,
    userId,
  ]);
  await owner.query(`INSERT INTO organisation_members (org_id, user_id, role) VALUES ($1, $2, 'owner')`, [
    id,
    userId,
  ]);
  return id;
}

/** Publishes the TXT record of the company's domain and has it checked. */
async function prove({ as, owner, orgId, provider, records }: Company): Promise<void> {
  const at = `${providersOf(orgId)}/${provider.provider_id}/domains/${DOMAIN}`;
  const view = (await as(owner).put(at).expect(200)).body as ProviderView;
  const [domain] = view.domains;
  records[domain?.txt_name ?? ''] = { texts: [domain?.txt_value ?? ''] };
  await as(owner).post(`${at}/verify`).expect(200);
}

function peopleOf(
  market: TestMarket,
  idp: IdentityProvider,
): Pick<Company, 'newPerson' | 'signedIn' | 'registered'> {
  let people = 0;
  return {
    async newPerson(more = {}) {
      people += 1;
      const subject = `person-${people}`;
      const email = `${subject}@${DOMAIN}`;
      await idp.setPeople({ [subject]: { email, email_verified: true, name: `Person ${people}`, ...more } });
      return { subject, email };
    },

    async signedIn(subject) {
      const browser = await openBrowser(market);
      const page = await browser.signIn(begin(), subject);
      if (page.status !== 303) throw new Error(`${page.status} ${page.body}`);
      const cookie = browser.cookie();
      const { body } = await request(market.url).get('/v1/auth/me').set('cookie', cookie).expect(200);
      const me = body as { user_id: string; email: string };
      return { userId: me.user_id, email: me.email, cookie };
    },

    async registered(email) {
      const body = { email, password: 'correct horse battery', displayName: 'Local', role: 'buyer' };
      const answer = await request(market.url).post('/v1/auth/register').send(body).expect(201);
      const { user_id: userId } = answer.body as { user_id: string };
      await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE user_id = $1', [userId]);
      const cookie = [answer.get('set-cookie') ?? []]
        .flat()
        .map((line) => line.split(';')[0])
        .join('; ');
      return { userId, email, cookie };
    },
  };
}
