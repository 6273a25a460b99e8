import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './lib/chromium.cjs';

/**
 * `node tools/console-screenshots.mjs [--dark] [--out <folder>] [--only <word>] [--widths <list>]`: pictures of each page of the console at 360
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
const WIDTHS = (option('--widths') ?? '360,1440').split(',').map(Number);

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
await makeExamples(asBuyer, await contextOf('developer'), await contextOf('operator'));
const call = await first(asBuyer, `/v1/invocations?status=succeeded&agent_id=${agent}`, 'invocation_id');
const me = await (await asBuyer.request.get(`${runtime.api_url}/v1/auth/me`)).json();
const account = me.user_id;

const slash = await first(await contextOf('developer'), '/v1/billing/developer/slashes', 'slash_id');
const dispute = await first(asBuyer, '/v1/billing/disputes', 'dispute_id');
const webhook = await first(asBuyer, '/v1/webhooks', 'webhook_id');

const PAGES = {
  visitor: async () => [
    ['search', '/'],
    ['agent', `/agents/${agent}`],
    ['agent-trust', `/agents/${agent}?tab=trust`],
    ['agent-code', `/agents/${agent}?tab=code`],
    ['agent-versions', `/agents/${agent}?tab=versions`],
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
    ['dispute', `/disputes/${dispute}`],
    ['webhooks', '/webhooks'],
    ['webhook', `/webhooks/${webhook}`],
    ['account', '/account'],
  ],
  developer: async () => [
    ['developer', '/developer'],
    ['developer-agents', '/developer/agents'],
    ['developer-agent', `/developer/agents/${agent}`],
    ['developer-calls', `/developer/agents/${agent}/calls`],
    ['publish', '/developer/publish'],
    ['earnings', '/developer/earnings'],
    ['earnings-maturing', '/developer/earnings?tab=maturing'],
    ['bond', '/developer/bond'],
    ['slash', `/developer/slashes/${slash}`],
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
  const tab = await context.newPage();
  tab.on('console', (message) => {
    // A visitor has no session, and a new developer no payout method.
    const isExpected = / 40[14] /.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isExpected)
      console.log(`  ${tab.url()}: ${message.text()}`);
  });
  for (const [name, path] of await pagesOf(context)) {
    if (only && !new RegExp(`^(${only})$`).test(name)) continue;
    for (const width of WIDTHS) await takePicture(tab, name, path, width);
  }
  await context.close();
}
await browser.close();

async function takePicture(tab, name, path, width) {
  await tab.setViewportSize({ width, height: 900 });
  await tab.goto(`${base}${path}`);
  await tab.waitForSelector('h1');
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  // Charts and editors are loaded when they are shown.
  await tab.waitForTimeout(600);
  await tab.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  const wide = await tab.evaluate('document.documentElement.scrollWidth');
  if (wide > width) console.log(`  ${name} at ${width} px is ${wide} px wide`);
  // As high as the page, so that the navigation reaches its end.
  const height = Math.min(await tab.evaluate('document.documentElement.scrollHeight'), 1600);
  await tab.setViewportSize({ width, height });
  await tab.waitForTimeout(250);
  writeFileSync(join(out, `${name}-${width}.webp`), await webpOf(await tab.screenshot()));
}

/** Calls, a key, a webhook, a bond, a contested dispute and a slash, so that no page is empty. Made once. */
async function makeExamples(buyer, developer, operator) {
  const api = runtime.api_url;
  const send = async (who, method, path, data) => {
    const answer = await who.request.fetch(`${api}${path}`, {
      method,
      ...(data && { data }),
      failOnStatusCode: false,
    });
    const body = await answer.json();
    if (!answer.ok()) console.log(`  ${method} ${path}: ${answer.status()} ${JSON.stringify(body)}`);
    return body;
  };
  const { items: hooks } = await send(buyer, 'GET', '/v1/webhooks');
  if (hooks.length === 0) {
    // Nothing listens there. The local stack refuses public addresses when it has no network.
    const hook = { url: 'https://127.77.0.1:9443/hooks', types: ['invocation.failed', 'dispute.resolved'] };
    const { webhook_id: id } = await send(buyer, 'POST', '/v1/webhooks', hook);
    await send(buyer, 'POST', `/v1/webhooks/${id}/test`);
  }
  const { items: known } = await send(buyer, 'GET', '/v1/invocations?limit=10');
  if (known.length > 5) return;
  await send(buyer, 'POST', '/v1/billing/topup', { amountPaise: 200_000, currency: 'INR' });
  const key = { name: 'Production server', scopes: ['agents:invoke', 'agents:read'], credit_cap: 50 };
  const { key: secret } = await send(buyer, 'POST', '/v1/keys', key);
  const calls = [];
  for (const { agent_id: id } of runtime.agents.slice(0, 3)) {
    const { examples } = await send(buyer, 'GET', `/v1/listings/${id}`);
    for (const example of examples.slice(0, 3)) {
      const answer = await buyer.request.post(`${api}/v1/agents/${id}/invoke`, {
        data: { input: example },
        headers: { 'X-API-Key': secret },
      });
      calls.push({ id, call: (await answer.json()).invocation_id });
    }
  }
  await buyer.request.post(`${api}/v1/agents/${agent}/invoke`, { data: { input: { csv: '' } } });
  const disputed = calls.find(({ id, call: made }) => id === agent && made);
  const opened = await send(buyer, 'POST', '/v1/billing/disputes', {
    invocation_id: disputed.call,
    reason: 'output_incorrect',
    description: 'The profile says that the column "age" is a text. All of its values are numbers.',
  });
  await send(developer, 'POST', `/v1/billing/disputes/${opened.dispute_id}/respond`, {
    decision: 'contest',
    statement: 'Row 3 of the attached file has the word "unknown" in this column.',
  });
  await send(developer, 'POST', '/v1/billing/topup', { amountPaise: 200_000, currency: 'INR' });
  await send(developer, 'POST', '/v1/billing/developer/bond/deposit', { credits: 1_000 });
  await send(developer, 'POST', '/v1/billing/developer/bond/withdraw', { credits: 100 });
  await send(operator, 'POST', '/v1/operator/slashes', {
    agent_id: agent,
    credits: 50,
    explanation: 'The agent returned the same profile for different files on 20 November.',
    evidence: { output_sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9' },
    invocation_ids: [disputed.call],
  });
}
