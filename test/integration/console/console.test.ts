import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import request from 'supertest';
import { putLive, register } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket();

const page = (path = '') => request(market.url).get(`/console${path}`);
const scriptOf = (html: string) => /src="\/console\/(assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';

const read = (path: string) => readFileSync(join(__dirname, '../../..', path), 'utf8');

describe('the page at /', () => {
  const landing = (accept: string) => request(market.url).get('/').set('accept', accept);

  it('says to people what the marketplace is, with a search, three ways in and the documentation, and no script', async () => {
    const { status, headers, text } = await landing('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).not.toMatch(/unsafe|script-src|https?:/);
    expect(text).not.toContain('<script');
    for (const link of [
      '/console/signup?role=buyer',
      '/console/signup?role=developer',
      '/docs/',
      '/console/login',
    ])
      expect(text).toContain(`href="${link}"`);
    expect(text).toMatch(/<form action="\/console\/" role="search">[^]*name="q"/);
    expect(text).toContain('property="og:title"');
  });

  it('has a mark under the name that browsers ask for, and links that say what they lead to', async () => {
    const mark = await request(market.url).get('/favicon.ico');
    expect([mark.status, mark.headers['location']]).toEqual([301, '/console/icon.svg']);
    const { text } = await page('/agents/agt_x_v1');
    expect(text).toMatch(/<meta property="og:title" content="[^"]+"/);
    expect(text).toMatch(/<meta name="description" content="[^"]+"|name="description"\s+content="[^"]+"/);
    expect((await landing('text/html')).text).toContain('href="/console/status"');
  });

  it('says nothing of agents while visitors need an account', async () => {
    const developer = await register(market, 'developer');
    const { agentId } = await putLive(market, developer.userId, 'https://agent.test/', {
      displayName: 'Hidden',
    });
    expect((await page(`/agents/${agentId}`)).text).not.toContain('Hidden');
  });

  it('is 404 for programs that ask for JSON', async () => {
    expect((await landing('application/json')).status).toBe(404);
    expect((await request(market.url).post('/')).status).toBe(404);
  });
});

describe('the console', () => {
  it('has pictures of every page at two widths', () => {
    const routes = [...read('console/src/page-table.ts').matchAll(/page\('([^']+)'/g)].map(
      ([, route]) => route,
    );
    const taken = [...read('tools/lib/console-pages.mjs').matchAll(/\['([\w-]+)', '(\/[^']*)'/g)];
    expect(routes.filter((route) => !taken.some(([, , path]) => path === route))).toEqual([]);
    const pictures = new Set(readdirSync(join(__dirname, '../../../docs/console')));
    const wanted = taken.flatMap(([, name]) => [360, 1440].map((width) => `${name}-${width}.webp`));
    expect(wanted.filter((name) => !pictures.has(name))).toEqual([]);
    expect(wanted.length).toBeGreaterThan(60);
  });

  it('is one page for every address, with a policy that allows no inline script or style', async () => {
    const [first, deep] = [await page(), await page('/agents/agt_x_v1?tab=trust')];
    for (const { status, headers, text } of [first, deep]) {
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
      expect(text).toContain(`nonce="${nonce}"`);
      expect(text).not.toContain('__CSP_NONCE__');
      expect(text).not.toMatch(/<script(?![^>]*src=)/);
    }
    expect(first.headers['content-security-policy']).not.toBe(deep.headers['content-security-policy']);
  });

  it('draws its frame before its styles and scripts are there', async () => {
    const { text } = await page();
    const frame = text.indexOf('class="first-header"');
    const styles = text.indexOf('rel="stylesheet"');
    expect(frame).toBeGreaterThan(text.indexOf('<body>'));
    expect(styles).toBeGreaterThan(frame);
    expect(text.indexOf('<div id="root">')).toBeGreaterThan(styles);
    expect(text).toMatch(/<style nonce="[\w-]{22}">[^]*\.first-header/);
  });

  it('says whether the request had the cookie of a session, so that visitors ask for no profile', async () => {
    const said = async (cookie: string) => {
      const { text, headers } = await page('/calls').set('cookie', cookie);
      expect(headers['vary']).toContain('Cookie');
      return /<meta name="session" content="(\w+)"/.exec(text)?.[1];
    };
    expect(await said('')).toBe('none');
    expect(await said('theme=dark; xmarket_session=1')).toBe('none');
    expect(await said('theme=dark; market_session=s%3Aended')).toBe('maybe');
  });

  it('lets caches keep the assets for ever, compressed', async () => {
    const script = scriptOf((await page()).text);
    const compressed = await page(`/${script}`).set('accept-encoding', 'br').buffer(false);
    expect(compressed.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    const asBrowsersAsk = await page(`/${script}`).set('accept-encoding', 'gzip, deflate, br').buffer(false);
    expect(asBrowsersAsk.headers['content-encoding']).toBe('br');
    const plain = await page(`/${script}`).set('accept-encoding', 'br;q=0, gzip;q=0');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.status).toBe(200);
  });

  it('is 404 for an asset that is gone, and for a path out of its folder', async () => {
    await page('/assets/gone-AbCdEfGh.js').expect(404);
    await request(market.url).get('/console/assets/..%2f..%2fapi%2fmain.js').expect(404);
    await request(market.url).get('/consoles').expect(404);
  });

  it('refuses methods other than GET and HEAD', async () => {
    const refused = await request(market.url).post('/console').send({}).expect(405);
    expect(refused.headers['allow']).toBe('GET, HEAD');
  });

  it('needs at most 250 kB for its first page', async () => {
    const { text } = await page();
    const named = [...text.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)"/g)].map(([, name]) => name);
    const names = [...new Set(named)];
    expect(names.length).toBeGreaterThan(1);
    let bytes = 0;
    for (const name of names) {
      const { headers } = await page(`/${name}`).set('accept-encoding', 'gzip').buffer(false);
      bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeLessThan(250_000);
  });
});
