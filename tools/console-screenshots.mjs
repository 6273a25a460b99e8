import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';

/**
 * `node tools/console-screenshots.mjs [--dark] [--out <folder>] [--only <word>]`: pictures of each page of the console at 360
 * and 1440 px, from a running `npm start`, into docs/console as WebP.
 */
const root = resolve(import.meta.dirname ?? '.', '..');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const out = resolve(option('--out') ?? join(root, 'docs/console'));
const only = option('--only');
const dark = args.includes('--dark');
const home = process.env.MARKET_HOME ?? join(root, '.market');
const runtime = JSON.parse(readFileSync(join(home, 'runtime.json'), 'utf8'));
const base = `${runtime.api_url}/console`;
const WIDTHS = [360, 1440];

const browser = await chromium.launch({
  executablePath: findChromium(),
  args: ['--no-sandbox'],
});
mkdirSync(out, { recursive: true });
const agent = runtime.agents[0].agent_id;

/** A browser in which an account has logged in; undefined for a visitor. */
async function contextOf(role) {
  const context = await browser.newContext({
    colorScheme: dark ? 'dark' : 'light',
    deviceScaleFactor: 1,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  if (role) {
    const answer = await context.request.post(`${runtime.api_url}/v1/auth/login`, {
      data: runtime.accounts[role],
    });
    if (!answer.ok()) throw new Error(`${role} cannot log in: ${answer.status()}`);
  }
  return context;
}

const encoder = await (await browser.newContext()).newPage();
/** The browser's own encoder: PNGs of these pages would be five times as large. */
async function webpOf(png) {
  const url = await encoder.evaluate(
    async (source) => {
      const image = new globalThis.Image();
      image.src = source;
      await image.decode();
      const canvas = globalThis.document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.8);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

const first = async (context, path, field) => {
  const answer = await (await context.request.get(`${runtime.api_url}${path}`)).json();
  return answer.items?.[0]?.[field];
};

const asBuyer = await contextOf('buyer');
const call = await first(asBuyer, '/v1/invocations', 'invocation_id');
const me = await (await asBuyer.request.get(`${runtime.api_url}/v1/auth/me`)).json();
const account = me.user_id;

const PAGES = {
  visitor: async () => [
    ['search', '/'],
    ['agent', `/agents/${agent}`],
    ['agent-trust', `/agents/${agent}`, 'Trust report'],
    ['agent-code', `/agents/${agent}`, 'Code'],
    ['login', '/login'],
    ['signup', '/signup'],
  ],
  buyer: async () => [
    ['try', `/agents/${agent}/try`],
    ['calls', '/calls'],
    ['call', `/calls/${call}`],
    ['wallet', '/wallet'],
    ['keys', '/keys'],
    ['disputes', '/disputes'],
    ['webhooks', '/webhooks'],
    ['account', '/account'],
  ],
  developer: async () => [
    ['developer', '/developer'],
    ['developer-agents', '/developer/agents'],
    ['developer-agent', `/developer/agents/${agent}`],
    ['publish', '/developer/publish'],
    ['earnings', '/developer/earnings'],
    ['bond', '/developer/bond'],
  ],
  operator: async () => [
    ['operator', '/operator'],
    ['operator-call', `/operator/calls/${call}`],
    ['operator-account', `/operator/accounts/${account}`],
    ['operator-agent', `/operator/agents/${agent}`],
    ['operator-payments', '/operator/payments'],
    ['operator-payouts', '/operator/payouts'],
    ['operator-ledger', '/operator/ledger'],
    ['operator-audit', '/operator/audit'],
    ['platform', '/platform'],
  ],
};

for (const [role, pagesOf] of Object.entries(PAGES)) {
  const context = await contextOf(role === 'visitor' ? undefined : role);
  // A page with an open stream of events is never idle. After 204, the browser does not connect again by itself.
  await context.route('**/v1/events/stream', (route) => route.fulfill({ status: 204 }));
  const tab = await context.newPage();
  tab.on(
    'console',
    (message) =>
      ['error', 'warning'].includes(message.type()) && console.log(`  ${tab.url()}: ${message.text()}`),
  );
  for (const [name, path, click] of await pagesOf(context)) {
    if (only && !new RegExp(`^(${only})$`).test(name)) continue;
    for (const width of WIDTHS) {
      await tab.setViewportSize({ width, height: 900 });
      await tab.goto(`${base}${path}`);
      await tab.waitForLoadState('networkidle');
      if (click) await tab.getByRole('tab', { name: click }).click();
      await tab.waitForTimeout(350);
      const wide = await tab.evaluate(() => globalThis.document.documentElement.scrollWidth);
      if (wide > width) console.log(`  ${name} at ${width} px is ${wide} px wide`);
      const height = await tab.evaluate(() => globalThis.document.documentElement.scrollHeight);
      const clip = { x: 0, y: 0, width, height: Math.min(height, 1600) };
      const picture = await tab.screenshot({ clip, fullPage: true });
      writeFileSync(join(out, `${name}-${width}.webp`), await webpOf(picture));
    }
  }
  await context.close();
}
await browser.close();
