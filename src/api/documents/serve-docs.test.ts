import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import request from 'supertest';
import { trace } from '../middleware/trace';
import { docsPages } from './docs-pages';
import { MOVED_PAGES } from './moved-pages';
import { serveDocs } from './serve-docs';

const HASH = 'sha256-DQUgNM9X0iH2019NkUxeBvnBoEoRKkHBc/I0iLqPNPA=';
const DOCUMENTS = path.join(__dirname, '../../../docs');
const ORIGIN = 'https://market.example.com';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'market-docs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function build(): void {
  mkdirSync(path.join(folder, 'site/assets'), { recursive: true });
  for (const name of ['api', 'tutorials', 'reference']) mkdirSync(path.join(folder, 'site', name));
  mkdirSync(path.join(folder, 'site/adr/money'), { recursive: true });
  const files = {
    'inline-scripts.json': JSON.stringify([HASH]),
    'index.html': '<h1>Start</h1>',
    '404.html': '<h1>Missing</h1>',
    'payouts.html': '<h1>Payouts</h1>',
    'payouts.md': '# Payouts of http://127.0.0.1:4000',
    'llms.txt': '# Market\n- [Payouts](http://127.0.0.1:4000/docs/payouts.md)',
    'tutorials/sell.html': 'market register --api http://127.0.0.1:4000',
    'assets/tutorials_sell.md.0a1b.js': 'const text = "http://127.0.0.1:4000"',
    'reference/settings.html': 'default http://127.0.0.1:4000',
    'api/index.html': '<h1>API</h1>',
    'adr/money/0007-its-name.html': '<h1>Decision</h1>',
    'assets/app.0a1b.js': 'run()',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, 'site', name), text);
  writeFileSync(path.join(folder, 'secret.html'), 'secret');
}

function site() {
  const app = express().disable('x-powered-by');
  app.use(trace(), serveDocs(ORIGIN, path.join(folder, 'site')));
  app.use((_req, res) => res.status(204).end());
  app.use(((error, _req, res, _next) =>
    res.status(404).json({ message: (error as Error).message })) as express.ErrorRequestHandler);
  return request(app);
}

describe('the documentation at /docs', () => {
  it('answers that it is missing until it is built, then appears without a restart', async () => {
    const http = site();
    await http
      .get('/docs/')
      .expect(404)
      .expect(/npm run docs/);
    build();
    await http.get('/docs/').expect(200).expect(/Start/);
  });

  it('shows a browser a page that loads itself again until the site is built', async () => {
    const page = await site().get('/docs/tutorials/sell').set('Accept', 'text/html,*/*;q=0.8').expect(404);
    expect(page.headers).toMatchObject({ refresh: '5', 'content-type': 'text/html; charset=utf-8' });
    expect(page.text).toContain('The documentation is not built yet');
    build();
    await site()
      .get('/docs/tutorials/sell')
      .set('Accept', 'text/html')
      .expect(200)
      .expect(/market register/);
  });

  it('serves pages without their ending, and the index of a folder', async () => {
    build();
    await site().get('/docs').expect(308).expect('Location', '/docs/');
    await site()
      .get('/docs/payouts')
      .expect(200)
      .expect(/Payouts/)
      .expect('Cache-Control', 'no-cache');
    await site().get('/docs/api/').expect(200).expect(/API/);
  });

  it.each([...MOVED_PAGES])('redirects from the old name %s to the page %s', async (before, now) => {
    build();
    expect(existsSync(path.join(DOCUMENTS, `${now}.md`))).toBe(true);
    expect(existsSync(path.join(DOCUMENTS, `${before}.md`))).toBe(false);
    for (const ending of ['', '.html'])
      await site().get(`/docs/${before}${ending}`).expect(308).expect('Location', `/docs/${now}`);
  });

  it.each([
    'adr/0007-an-older-name',
    'adr/calls/0007-an-older-name',
    'adr/0007-an-older-name.html?from=mail',
  ])('finds the decision %s by its number', async (address) => {
    build();
    const location = `/docs/adr/money/0007-its-name${/\?.*/.exec(address)?.[0] ?? ''}`;
    await site().get(`/docs/${address}`).expect(308).expect('Location', location);
  });

  it('lets caches keep the files whose names contain a hash', async () => {
    build();
    await site()
      .get('/docs/assets/app.0a1b.js')
      .expect('Cache-Control', 'public, max-age=31536000, immutable');
  });

  it('runs scripts of this origin and those of the pages alone', async () => {
    build();
    const { headers } = await site().get('/docs/');
    expect(headers['content-security-policy']).toContain(`script-src 'self' '${HASH}';`);
  });

  it.each([
    '/docs/no-such-page',
    '/docs/../secret.html',
    '/docs/%2e%2e/secret.html',
    '/docs/..%2fsecret.html',
    '/docs/%00',
    '/docs/%ff',
    '/docs/adr',
    '/docs/adr/0008-no-such-decision',
    '/docs/adr/money/../../secret.html',
    '/docs/constructor',
  ])('answers %s with 404', async (address) => {
    build();
    const { status, text } = await site().get(address);
    // The client itself resolves `..`, so such an address may leave /docs and reach the next handler.
    expect([404, 204]).toContain(status);
    expect(text).not.toContain('secret');
  });

  it('refuses methods other than GET and HEAD, and passes other paths on', async () => {
    build();
    await site().post('/docs/').expect(404).expect('Allow', 'GET, HEAD');
    await site().get('/docsx').expect(204);
  });
});

it('serves the Markdown of a page, and the list of pages for models, with its own origin', async () => {
  await site().get('/llms.txt').expect(404);
  build();
  const list = await site()
    .get('/llms.txt')
    .expect(200)
    .expect('Content-Type', /^text\/plain/);
  expect(list.text).toBe(`# Market\n- [Payouts](${ORIGIN}/docs/payouts.md)`);
  const { text } = await site()
    .get('/docs/payouts.md')
    .expect(200)
    .expect('Content-Type', /^text\/markdown/);
  expect(text).toBe(`# Payouts of ${ORIGIN}`);
  await site().get('/docs/llms.txt').expect(200);
});

it('lists its pages for a sitemap, without the start and the page of missing ones', () => {
  expect(docsPages(path.join(folder, 'site'))).toEqual([]);
  build();
  expect(docsPages(path.join(folder, 'site'))).toEqual([
    '/docs/adr/money/0007-its-name',
    '/docs/payouts',
    '/docs/reference/settings',
    '/docs/tutorials/sell',
  ]);
});

it('names its own origin in the commands of a page, and leaves the reference as it is', async () => {
  build();
  const page = await site().get('/docs/tutorials/sell');
  expect([page.text, page.type]).toEqual([`market register --api ${ORIGIN}`, 'text/html']);
  const script = await site().get('/docs/assets/tutorials_sell.md.0a1b.js');
  expect([script.text, script.headers['cache-control']]).toEqual([
    `const text = "${ORIGIN}"`,
    'public, max-age=31536000, immutable',
  ]);
  expect((await site().get('/docs/reference/settings')).text).toContain('127.0.0.1:4000');
});
