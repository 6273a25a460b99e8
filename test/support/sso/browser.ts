/** A browser with cookies, as far as a login by OpenID Connect needs one. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { testCertificates } from '../agents/authority';
import type { TestMarket } from '../market';

export interface Page {
  url: URL;
  status: number;
  body: string;
  /** Where the answer redirects to. */
  location: URL | undefined;
}

export interface Browser {
  /** Loads one address, without following its redirect. `more`: further headers. */
  load(url: string | URL, form?: Record<string, string>, more?: Record<string, string>): Promise<Page>;
  /** Begins a company sign-in and logs in at the provider as `subject`. Returns the address of the callback. */
  toCallback(begin: string, subject: string, alter?: (url: URL) => void): Promise<URL>;
  /** The whole sign-in. Returns the answer to the callback. */
  signIn(begin: string, subject: string): Promise<Page>;
  /** The cookies that the browser sends to the market. */
  cookie(): string;
}

/** Opens a browser without cookies, or with the session of an account. */
export async function openBrowser(
  market: Pick<TestMarket, 'url' | 'config'>,
  session?: { cookie: string },
): Promise<Browser> {
  const jar = new Map<string, string>();
  const ca = (await testCertificates()).authority.certPem;
  /** The market has another address in tests than it names in public. */
  const local = (url: string | URL) =>
    new URL(String(url).replace(market.config.PUBLIC_ORIGIN.replace(/\/$/, ''), market.url));
  const keyOf = (url: URL, name: string) => `${url.host} ${name}`;
  for (const pair of session?.cookie.split('; ') ?? []) {
    const at = pair.indexOf('=');
    jar.set(keyOf(new URL(market.url), pair.slice(0, at)), pair.slice(at + 1));
  }
  const cookiesOf = (url: URL) =>
    [...jar].flatMap(([key, value]) =>
      key.startsWith(`${url.host} `) ? [`${key.slice(url.host.length + 1)}=${value}`] : [],
    );

  const load: Browser['load'] = (address, form, more) =>
    new Promise((resolve, reject) => {
      const url = local(address);
      const body = form && new URLSearchParams(form).toString();
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const headers = {
        ...more,
        cookie: cookiesOf(url).join('; '),
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': body.length,
        }),
      };
      const sent = send(url, { method: body === undefined ? 'GET' : 'POST', headers, ca }, (res) => {
        let text = '';
        for (const line of res.headers['set-cookie'] ?? []) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(keyOf(url, name));
          else jar.set(keyOf(url, name), value);
        }
        res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        res.on('end', () => {
          const { location } = res.headers;
          const target = location === undefined ? undefined : local(new URL(location, url));
          resolve({ url, status: res.statusCode ?? 0, body: text, location: target });
        });
      });
      sent.on('error', reject).end(body);
    });

  async function toCallback(begin: string, subject: string, alter?: (url: URL) => void): Promise<URL> {
    let page = await load(`${market.url}${begin}`);
    if (!page.location) throw new Error(`no redirect: ${page.status} ${page.body}`);
    alter?.(page.location);
    for (let step = 0; step < 12; step += 1) {
      const { location } = page;
      if (location?.pathname.startsWith('/v1/auth/sso/callback/')) return location;
      page = location
        ? await load(location)
        : await load(page.url, { prompt: 'login', login: subject, password: 'any' });
    }
    throw new Error(`the provider does not come back: ${page.status} ${page.url.href} ${page.body}`);
  }

  return {
    load,
    toCallback,
    signIn: async (begin, subject) => load(await toCallback(begin, subject)),
    cookie: () => cookiesOf(new URL(market.url)).join('; '),
  };
}
