/** `market` where it is about money: keys, balances, payouts, disputes, webhooks, and what operators do with them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProofFile } from '../../../src/cli/proof/log-check';
import { createLedgerService } from '../../../src/services/ledger/ledger';
import { createMarketLog } from '../../../src/services/market-log/publish';
import { moveBack, sealerOf } from '../../support/ledger/digests';
import { startAgent, type TestAgent } from '../../support/agents/test-agent';
import { registerOperator, succeed } from '../../support/disputes/disputes';
import { startHookServer, type HookServer } from '../../support/webhooks/hook-server';
import { marketCommand, type MarketCommand, type RunOptions } from '../../support/cli/market-command';
import { expectWhole } from '../../support/ledger/ledger';
import { eventually, putLive, register, startMarket, type TestMarket, type TestUser } from '../../support/market'; // prettier-ignore
import { DETAILS, earn, MATURE, MONDAY } from '../../support/payouts/payouts';
import { paidEvent, RAZORPAY, signRazorpay } from '../../support/billing/razorpay';

jest.setTimeout(120_000);

interface Person extends TestUser {
  command: MarketCommand;
}

let market: TestMarket;
let agent: TestAgent;
let hook: HookServer;
let developer: Person;
let buyer: Person;
let operator: Person;

beforeAll(async () => {
  const env = {
    PAYMENT_PROVIDER: 'razorpay',
    RAZORPAY_KEY_ID: RAZORPAY.keyId,
    RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: RAZORPAY.webhookSecret,
  };
  [market, agent, hook] = await Promise.all([startMarket({ env }), startAgent(), startHookServer()]);
  [developer, buyer, operator] = await Promise.all([
    loggedIn(register(market, 'developer', 100)),
    loggedIn(register(market, 'buyer', 20_000)),
    loggedIn(registerOperator(market)),
  ]);
});
afterAll(async () => {
  for (const { command } of [developer, buyer, operator]) command.remove();
  await expectWhole(market.container.pool);
  await market.stop();
  await Promise.all([agent.stop(), hook.stop()]);
});

async function loggedIn(registered: Promise<TestUser>): Promise<Person> {
  const user = await registered;
  const command = marketCommand(market.url);
  const login = ['login', '--email', user.email, '--password-stdin'];
  expect(await command.run(login, { input: 'correct horse battery\n' })).toMatchObject({ code: 0 });
  return { ...user, command };
}

/** A command that must succeed; `market <words…>`. */
async function ok(person: Person, args: string[], options?: RunOptions) {
  const ended = await person.command.run(args, options);
  if (ended.code !== 0) throw new Error(`market ${args.join(' ')}: ${ended.code} ${ended.stderr}`);
  return ended;
}
const json = async <T>(person: Person, args: string[], options?: RunOptions) =>
  (await ok(person, [...args, '--json'], options)).json<T>();

it('lists OAuth grants and revokes them', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url);
  await market.container.oauthGrants.permit({
    createdBy: null,
    userId: buyer.userId,
    clientId: 'https://chat.example/client.json',
    clientName: 'Chat',
    redirectUri: 'https://chat.example/callback',
    redirectHost: 'chat.example',
    agentId,
    scopes: ['agents:invoke'],
    limits: {
      creditCap: 5,
      capWindow: 'lifetime',
      callCap: null,
      leastTrust: null,
      onlyAgents: null,
      pinnedAgents: null,
    },
    codeChallenge: 'x'.repeat(43),
  });
  const { stdout } = await ok(buyer, ['grants', 'list']);
  expect(stdout).toMatch(/Chat +chat\.example +agt_\w+ +agents:invoke +0 +5 /);
  const grantId = /ogr_[0-9a-f]{32}/.exec(stdout)?.[0] ?? '';
  expect((await ok(buyer, ['grants', 'revoke', grantId])).stdout).toBe(`Revoked ${grantId}.\n`);
  expect(await json(buyer, ['grants', 'list'])).toMatchObject({ items: [] });
});

it('connects assistants to the market, or prints the line for it', async () => {
  const address = `${market.url}/mcp`;
  for (const [assistant, file] of [
    ['vscode', /Code\/User\/mcp\.json/],
    ['cursor', /\.cursor\/mcp\.json/],
  ] as const) {
    const shown = await json<Record<string, unknown>>(buyer, ['connect', assistant, '--print']);
    expect(shown).toMatchObject({
      url: address,
      file: expect.stringMatching(file) as string,
      written: false,
    });
    expect((await ok(buyer, ['connect', assistant, '--print'])).stdout).toContain(JSON.stringify(address));
  }
  expect((await ok(buyer, ['connect', 'claude'])).stdout).toMatch(new RegExp(`claude mcp add .*${address}`));
  expect((await ok(buyer, ['connect', 'chatgpt'])).stdout).toContain(address);
});

it('registers a program, changes its limits and rotates its secret, which it prints alone', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url);
  const made = await ok(buyer, [
    'grants',
    'create',
    '--name',
    'night job',
    '--credit-cap',
    '9',
    '--window',
    'day',
  ]);
  expect(made.stdout).toMatch(/^ams_[\w-]{43}\n$/);
  const grantId = /ogr_[0-9a-f]{32}/.exec(made.stderr)?.[0] ?? '';
  const changed = await json(buyer, ['grants', 'change', grantId, '--pin', agentId]);
  expect(changed).toMatchObject({ kind: 'program', credit_cap: 9, pinned_agents: [agentId] });
  const limits = ['--credit-cap', '30', '--window', 'week', '--call-cap', '4', '--min-trust', '80'];
  await ok(buyer, ['grants', 'change', grantId, ...limits, '--agents', agentId]);
  const shown = (await ok(buyer, ['grants', 'list'])).stdout;
  expect(shown.split('\n').find((line) => line.includes('night job'))).toMatch(
    new RegExp(`\\b30\\b.*\\bweek\\b.*\\b4\\b.*\\b80\\b.*${agentId}`),
  );
  const { stdout } = await ok(buyer, ['grants', 'rotate', grantId, '--grace-seconds', '60']);
  expect(stdout).toMatch(/^ams_/);
  expect(stdout).not.toBe(made.stdout);
  await ok(buyer, ['grants', 'revoke', grantId]);
});

it('makes, lists, rotates and deletes API keys, and prints a secret alone', async () => {
  const what = ['--scope', 'billing:read', 'agents:read', '--credit-cap', '5'];
  const made = await ok(buyer, ['api-keys', 'create', '--name', 'app', ...what]);
  expect(made.stdout).toMatch(/^amk_live_[0-9A-Za-z]{36}\n$/);
  const keyId = /key_[0-9a-f]{32}/.exec(made.stderr)?.[0] ?? '';
  const env = { MARKET_API_KEY: made.stdout.trim() };
  const [balances, listed] = await Promise.all([
    json(buyer, ['balance'], { env }),
    ok(buyer, ['api-keys', 'list'], { env }),
  ]);
  expect(balances).toMatchObject({ wallet: { available_credits: 20_000 }, developer: null });
  expect(listed.stdout).toMatch(new RegExp(`${keyId} +app +\\w{4} +billing:read agents:read +0 +5 `));
  const rotated = await json<{ key: string }>(buyer, ['api-keys', 'rotate', keyId, '--grace-seconds', '60']);
  expect(rotated).toMatchObject({
    key_id: keyId,
    key: expect.not.stringContaining(env.MARKET_API_KEY) as string,
  });
  await ok(buyer, ['api-keys', 'delete', keyId]);
  const refused = await buyer.command.run(['balance'], { env: { MARKET_API_KEY: rotated.key } });
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('market balance: ') as string });
});

it('sets the payout method from a file, and shows payouts, their reasons and statements', async () => {
  const file = join(developer.command.folder, 'bank.json');
  writeFileSync(file, JSON.stringify(DETAILS.ach));
  const set = await ok(developer, ['payout-method', 'set', 'ach', `@${file}`]);
  expect(set.stdout).toMatch(/account number +•••• 6789/);
  const wrong = { ...DETAILS.ach, routing_number: '021000022' };
  const refused = await developer.command.run(['payout-method', 'set', 'ach', '-', '--json'], {
    input: JSON.stringify(wrong),
  });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stderr)).toMatchObject({
    detail: [{ loc: ['body', 'details', 'routing_number'] }],
  });

  const ledger = createLedgerService({ pool: market.container.pool });
  const names = { buyer: buyer.userId, developer: developer.userId };
  const [call] = await earn({ ledger }, names, [2_000], MATURE);
  const asOf = MONDAY.toISOString();
  const { payoutRuns } = market.container;
  await payoutRuns.reserve({ developerUserId: developer.userId, asOf, attempt: 0 });
  await payoutRuns.writeFile({ method: 'ach', asOf, attempt: 0 });
  const { items } = await json<{ items: { payout_id: string; status: string }[] }>(developer, [
    'payouts',
    'list',
  ]);
  expect(items).toMatchObject([{ status: 'processing' }]);
  const payoutId = items[0]?.payout_id ?? '';
  const csv = join(developer.command.folder, 'statement.csv');
  const bank = join(operator.command.folder, 'bank.ach');
  const [shown, all, , settled] = await Promise.all([
    ok(developer, ['payouts', 'show', payoutId]),
    ok(operator, ['payouts', 'list', '--developer', developer.userId]),
    ok(developer, ['payouts', 'statement', payoutId, '--output', csv]),
    operator.command.run(['payouts', 'settle', payoutId, 'returned']),
    ok(operator, ['payouts', 'file', 'ach-20261116-0', '--output', bank]),
  ]);
  expect(shown.stdout).toMatch(new RegExp(`invocation_earning +1940.00 +${call}`));
  expect(all.stdout).toMatch(
    new RegExp(`${payoutId} +2026-11-16 +processing +1940.00 +ach +19.40 USD +- +usr_`),
  );
  expect(readFileSync(csv, 'utf8')).toContain(call);
  expect(statSync(csv).mode & 0o777).toBe(0o600);
  expect(readFileSync(bank, 'latin1').split('\n')[0]).toHaveLength(94);
  expect(settled).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') as string });
  const back = await json(operator, ['payouts', 'settle', payoutId, 'returned', '--reason', 'R03']);
  expect(back).toMatchObject({ status: 'failed', reason: 'R03' });
  expect(await json(operator, ['payouts', 'retry', payoutId])).toMatchObject({ attempt: 1 });
  await eventually(async () => {
    const page = await json<{ items: { status: string }[] }>(developer, ['payouts', 'list']);
    return page.items[0]?.status === 'paid';
  }, 30_000);
});

it('hands in a tax form, which an operator reviews', async () => {
  const form = { kind: 'w8ben', legal_name: 'Ada Lovelace', country: 'GB', tax_id: 'QQ123456C' };
  const handed = await json(developer, ['tax-form', 'set', '-'], { input: JSON.stringify(form) });
  expect(handed).toMatchObject({ status: 'submitted', details: { tax_id: '•••• 456C' } });
  const listed = () => ok(operator, ['tax-form', 'list']);
  expect((await listed()).stdout).toMatch(new RegExp(`${developer.userId} +w8ben +\\S+ +Ada Lovelace +GB`));
  await ok(operator, ['tax-form', 'review', developer.userId, 'accepted', '--reason', 'Complete.']);
  expect((await ok(developer, ['tax-form', 'show'])).stdout).toMatch(/status +accepted/);
  expect((await listed()).stdout).not.toContain(developer.userId);
});

it('opens, answers and decides a dispute', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { agentId: 'cli-disputed' });
  const call = await succeed(market, buyer, agentId);
  const why = ['--reason', 'output_incorrect', '--description', 'It is wrong.'];
  const opened = await json<{ dispute_id: string }>(buyer, ['disputes', 'open', call, ...why]);
  const id = opened.dispute_id;
  const theirs = await ok(developer, ['disputes', 'list', '--role', 'developer', '--status', 'open']);
  expect(theirs.stdout).toMatch(new RegExp(`${id} +${call} +agt_cli_disputed_v1 +open `));
  await ok(developer, ['disputes', 'respond', id, 'contest', '--statement', 'It is as listed.']);
  expect((await ok(operator, ['disputes', 'list', '--all'])).stdout).toContain(id);
  const foreign = await operator.command.run(['disputes', 'show', id]);
  expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('Operators add --all.')]);
  const decided = await json(operator, ['disputes', 'resolve', id, 'buyer', '--reason', 'It is not.']);
  expect(decided).toMatchObject({ status: 'won', refunded_credits: 10 });
  const again = await buyer.command.run(['disputes', 'open', call, ...why, '--json']);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stderr)).toMatchObject({ code: 'already_disputed', status: 409 });
});

it('offers a part of a charge, answers the offer, and decides with a part', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { agentId: 'cli-offered' });
  const contested = async () => {
    const why = ['--reason', 'output_incorrect', '--description', 'It is wrong.'];
    const call = await succeed(market, buyer, agentId);
    const { dispute_id: id } = await json<{ dispute_id: string }>(buyer, ['disputes', 'open', call, ...why]);
    await ok(developer, [
      'disputes',
      'respond',
      id,
      'contest',
      '--credits',
      '1',
      '--statement',
      'As listed.',
    ]);
    return id;
  };
  const id = await contested();
  const made = await json(developer, ['disputes', 'offer', id, '4', '--statement', 'Four rows.']);
  expect(made).toMatchObject({ offer: { refund_credits: 4, status: 'open', statement: 'Four rows.' } });
  expect(await json(buyer, ['disputes', 'answer', id, 'accept'])).toMatchObject({
    status: 'accepted',
    resolution: 'offer_accepted',
    refunded_credits: 4,
  });
  const other = await contested();
  expect(await json(buyer, ['disputes', 'answer', other, 'decline'])).toMatchObject({ status: 'contested' });
  const part = ['buyer', '--credits', '2.5', '--reason', 'A quarter.'];
  expect(await json(operator, ['disputes', 'resolve', other, ...part])).toMatchObject({
    status: 'won',
    refunded_credits: 2.5,
  });
});

it('makes a webhook, tests it and sends its event again', async () => {
  const made = await ok(buyer, ['webhooks', 'create', `${hook.url}/cli`, '--type', 'dispute.opened']);
  expect(made.stdout).toMatch(/^whsec_[A-Za-z0-9+/=]{44}\n$/);
  const id = /whk_[0-9a-f]{32}/.exec(made.stderr)?.[0] ?? '';
  const sent = await json<{ delivery_id: string }>(buyer, ['webhooks', 'test', id]);
  const told = () => hook.told.filter(({ path }) => path === '/cli');
  await eventually(async () => told().length === 1, 20_000);
  await eventually(
    async () =>
      /webhook\.test +delivered +1 +204/.test((await ok(buyer, ['webhooks', 'deliveries', id])).stdout),
    20_000,
  );
  await ok(buyer, ['webhooks', 'redeliver', id, sent.delivery_id]);
  await eventually(async () => told().length === 2, 20_000);
  expect(told()[1]?.headers['webhook-id']).toBe(told()[0]?.headers['webhook-id']);
  await ok(buyer, ['webhooks', 'disable', id]);
  expect((await ok(buyer, ['webhooks', 'list'])).stdout).toContain('disabled (owner)');
  await ok(buyer, ['webhooks', 'delete', id]);
});

it('sets taxes, and downloads invoices and statements', async () => {
  const settings = {
    issuer: {
      name: 'Market GmbH',
      address: 'Weg 1',
      country: 'DE',
      tax_number: 'DE136695976',
      email: 'billing@market.example',
    },
    rates: [{ country: 'DE', name: 'VAT', percent: 19, reverse_charge: false }],
  };
  const none = await operator.command.run(['tax', 'show']);
  expect(none.code).toBe(1);
  await ok(operator, ['tax', 'set', JSON.stringify(settings), '--reason', 'Registered.']);
  expect(await json(operator, ['tax', 'show'])).toMatchObject(settings);
  const set = ['billing', 'set', '--country', 'DE', '--reference', 'PO 1'];
  expect(await json(buyer, set)).toMatchObject({ reference: 'PO 1', top_up_tax: { percent: 19 } });
  const wrong = await buyer.command.run(['billing', 'set', '--tax-number', 'DE123456789']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('check digits')]);
  expect((await ok(buyer, ['invoices', 'notes'])).code).toBe(0);
  const month = new Date().toISOString().slice(0, 7);
  const statement = await json<{ closing_credits: number }>(buyer, ['statements', 'show', month]);
  expect(statement.closing_credits).toBeGreaterThanOrEqual(0);
  const saved = await json<{ bytes: number }>(buyer, [
    'statements',
    'download',
    month,
    '--csv',
    '--output',
    join(developer.command.folder, 'statement.csv'),
  ]);
  expect(saved.bytes).toBeGreaterThan(50);
  await ok(operator, ['tax', 'set', JSON.stringify({ ...settings, rates: [] }), '--reason', 'No longer.']);
});

it('lets operators stop agents and wallets, decide about payments and load rates, and refuses others', async () => {
  const { agentId } = await putLive(market, developer.userId, agent.url, { agentId: 'cli-suspended' });
  const reason = ['--reason', 'A report.'];
  const forbidden = await buyer.command.run(['agents', 'suspend', agentId, ...reason]);
  expect(forbidden.code).toBe(3);
  expect((await ok(operator, ['agents', 'standing', 'cli-suspended'])).stdout).toContain(agentId);
  expect(await json(operator, ['agents', 'suspend', agentId, ...reason])).toMatchObject({
    status: 'suspended',
  });
  const hidden = await operator.command.run(['agents', 'reinstate', 'cli-suspended', ...reason]);
  expect([hidden.code, hidden.stderr]).toEqual([1, expect.stringContaining(`such as ${agentId}\n`)]);
  expect(await json(operator, ['agents', 'reinstate', agentId, ...reason])).toMatchObject({
    status: 'active',
  });
  const frozen = await ok(operator, ['wallets', 'freeze', buyer.userId, ...reason]);
  expect(frozen.stdout).toMatch(/wallet frozen +true/);
  expect(await json(operator, ['wallets', 'unfreeze', buyer.userId, ...reason])).toMatchObject({
    wallet_frozen: false,
  });

  const link = { id: 'plink_1', amount: 50_000, currency: 'INR', reference_id: 'top_unknown' };
  const body = paidEvent(link, { paymentId: 'pay_CliQuarantined' });
  await fetch(`${market.url}/v1/payments/razorpay/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-razorpay-signature': signRazorpay(body) },
    body,
  });
  const waiting = await ok(operator, ['payments', 'list']);
  expect(waiting.stdout).toMatch(/pay_CliQuarantined +\S+Z +quarantined +unknown_topup +500\.00 INR/);
  const whose = ['--user', buyer.userId, '--reason', 'The bank says whose it is.'];
  const resolved = await json(operator, ['payments', 'resolve', 'pay_CliQuarantined', 'credit', ...whose]);
  expect(resolved).toMatchObject({ state: 'resolved_credited' });

  const at = ['--source', 'RBI', '--observed-at', '2026-11-15T12:00:00.000Z'];
  await ok(operator, ['fx', 'load', '84.123456', ...at]);
  const rates = await ok(operator, ['fx', 'show']);
  expect(rates.stdout).toMatch(/84\.123456 +2026-11-15T12:00:00\.000Z +RBI +usr_/);
  expect(rates.stdout).toContain('No rate was fetched yet');
});

describe('the proof of what is owed', () => {
  beforeAll(async () => {
    const { pool, cipher, signingKeys, logger } = market.container;
    await moveBack(market, 3);
    await sealerOf({ app: pool }, { sealing: cipher })();
    await createMarketLog({ pool, keys: signingKeys, cipher, logger })();
  });

  it('is verified by the command and by forty lines of Python, without the marketplace', async () => {
    const file = join(buyer.command.folder, 'proof.json');
    expect((await ok(buyer, ['proof', 'save', '--output', file])).stdout).toMatch(/Saved the proof of 2/);
    const away = { env: { MARKET_API_URL: 'https://127.0.0.1:9' } };
    expect((await ok(buyer, ['proof', 'verify', file], away)).stdout).toMatch(/wallet +\d+\.\d\d\n/);
    expect((await ok(developer, ['proof', 'verify'])).stdout).toContain('They are in what the log says');
    const python = (path: string) =>
      spawnSync('python3', ['examples/proof/verify.py', path], { encoding: 'utf8' });
    expect(python(file)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^wallet: \d/) as string });

    const told = readFileSync(file, 'utf8');
    const wrong = (change: (copy: ProofFile) => void) => {
      const copy = JSON.parse(told) as ProofFile;
      change(copy);
      writeFileSync(file, JSON.stringify(copy));
      return file;
    };
    for (const [change, problem] of [
      [(copy) => copy.proof.balances.forEach((own) => (own.units += 100)), 'is not in what the log says'],
      [(copy) => copy.proof.balances[0]?.path.forEach((node) => (node.units = -1)), 'is not in what the log'],
      [(copy) => copy.log.forEach((day) => (day.service.cash += 1)), 'its seal is not of what it says'],
      [
        (copy) => copy.log.forEach((day) => (day.previous_sha256 = 'a'.repeat(64))),
        'days before it are missing',
      ],
      [(copy) => (copy.log = []), 'the log has no such statement'],
    ] as [(copy: ProofFile) => void, string][]) {
      const refused = await buyer.command.run(['proof', 'verify', wrong(change)], away);
      expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining(problem)]);
    }
    expect(python(wrong((copy) => copy.proof.balances.forEach((own) => (own.units += 100)))).status).not.toBe(
      0,
    );
    expect(python(wrong((copy) => copy.log.forEach((day) => (day.seal += 'A')))).status).not.toBe(0);
  });

  it('is a log of which a copy shows a replaced statement and a dropped day', async () => {
    const keep = join(buyer.command.folder, 'kept.json');
    const watch = ['log', 'watch', '--keep', keep];
    expect((await ok(buyer, watch)).stdout).toBe(
      'The log continues what it said before: 1 days, 1 of them new.\n',
    );
    expect(await json(buyer, watch)).toMatchObject({ fresh: 0, problems: [] });
    const kept = JSON.parse(readFileSync(keep, 'utf8')) as Record<string, string>;
    const [day = ''] = Object.keys(kept);
    writeFileSync(keep, JSON.stringify({ [day]: 'b'.repeat(64), '2020-01-01': 'c'.repeat(64) }));
    const found = await buyer.command.run(watch);
    expect([found.code, found.stdout]).toEqual([
      1,
      `FAIL  2020-01-01: the day was dropped\nFAIL  ${day}: its statement was replaced\n`,
    ]);
  });
});

it('explains a verb with an example', async () => {
  const help = await buyer.command.run(['payouts', 'retry', '--help']);
  expect(help).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('market payouts retry pay_…') as string,
  });
});
