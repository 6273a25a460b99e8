/** Deletions of accounts (ADR 0388): what blocks them, what moves them, and what is left. */
import { fastForward } from '../../../src/engine/time-travel';
import type { Client as TemporalClient } from '@temporalio/client';
import { mailBox, tokenOf } from '../../support/accounts/mails';
import { dispute, registerOperator, respond } from '../../support/disputes/disputes';
import { exportAll } from '../../support/leaving';
import { placesOf, readLogs } from '../../support/leaving-walk';
import {
  eventually,
  expectWholeLedger,
  invoke,
  putLive,
  register,
  type TestUser,
} from '../../support/market';
import { newSlug } from '../../support/names';
import { budget, registerSigner, signMandate, signProof, newSigner } from '../../support/mandates/mandates';
import { useAgent, useMarket } from '../../support/use-market';

const DAY_MS = 86_400_000;
const PASSWORD = 'correct horse battery';
const LONG = 60_000;

const logs = readLogs();
const mails = mailBox();
afterAll(() => {
  logs.stop();
  mails.close();
});
const market = useMarket({ env: { MAIL_URL: mails.url, LOG_LEVEL: 'info' } });
const agent = useAgent();
let operator: TestUser;
let seller: TestUser;
let soldAgent: string;
beforeAll(async () => {
  operator = await registerOperator(market);
  seller = await register(market, 'developer', 100);
  soldAgent = (await putLive(market, seller.userId, agent.url, { credits: 10 })).agentId;
});

interface Standing {
  deletion: { deletion_id: string; status: string; blocked_by: string[]; gone_by: string | null } | null;
  blocked_by: { code: string; message: string }[];
}

async function call<T = Record<string, unknown>>(
  { cookie }: Pick<TestUser, 'cookie'>,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: T }> {
  const answer = await fetch(`${market.url}${path}`, {
    method,
    headers: { cookie, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : {}) as T };
}
const ask = (who: TestUser, more: object = {}) =>
  call<{ deletion_id: string; status: string }>(who, 'POST', '/v1/account/delete', {
    password: PASSWORD,
    ...more,
  });
const standing = async (who: TestUser) => (await call<Standing>(who, 'GET', '/v1/account/delete')).body;
const messageOf = ({ body }: { body: object }) =>
  (body as { error?: { message: string } }).error?.message ?? '';
const stateOf = async (id: string) =>
  (
    await market.owner.query<{ state: string; blocked_by: string[] }>(
      'SELECT state, blocked_by FROM account_deletions WHERE deletion_id = $1',
      [id],
    )
  ).rows[0];
const isIn = (id: string, state: string) =>
  eventually(async () => (await stateOf(id))?.state === state, LONG / 2);

/** The end of the window, and the token of the mail that it brings. */
async function confirmationOf(who: TestUser, id: string): Promise<string> {
  const client = market.engine.link.client() as TemporalClient;
  await fastForward(client, `deletion/${id}`, 14 * DAY_MS);
  await isIn(id, 'confirmable');
  const mail = () =>
    mails.to(who.email).find(({ subject }) => subject.startsWith('Confirm that your account'));
  await eventually(() => mail() !== undefined, LONG / 2);
  return tokenOf(mail());
}

const confirm = (token: string) =>
  fetch(`${market.url}/v1/account/delete/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

async function erase(who: TestUser, more: object = {}): Promise<string> {
  const { body, status } = await ask(who, more);
  expect(status).toBe(202);
  const token = await confirmationOf(who, body.deletion_id);
  expect((await confirm(token)).status).toBe(202);
  await isIn(body.deletion_id, 'erased');
  return body.deletion_id;
}

describe('the request of a deletion', () => {
  it('needs the password, and names what blocks it', async () => {
    const person = await register(market, 'developer', 50);
    expect((await ask(person, { password: 'a wrong password' })).status).toBe(401);
    const refused = await ask(person);
    expect([refused.status, messageOf(refused)]).toEqual([
      409,
      expect.stringContaining('The wallet holds credits.'),
    ]);
    expect((await standing(person)).blocked_by.map(({ code }) => code)).toEqual(['wallet']);

    const own = (await putLive(market, person.userId, agent.url, { credits: 10 })).agentId;
    const customer = await register(market, 'buyer', 100);
    await invoke(market, customer, own, { input: { text: 'paid' } });
    await eventually(async () =>
      (await standing(person)).blocked_by.some(({ code }) => code === 'unpaid_earnings'),
    );
    expect((await ask(person, { forfeit_credits: true })).status).toBe(409);
    expect((await ask(operator, { forfeit_credits: true })).status).toBe(409);
    expect((await standing(operator)).blocked_by.map(({ code }) => code)).toContain('operator');
  });

  it(
    'is one for an account, and can be withdrawn',
    async () => {
      const person = await register(market, 'buyer');
      const [first, second] = await Promise.all([ask(person), ask(person)]);
      expect(first.body.deletion_id).toBe(second.body.deletion_id);
      expect((await call(person, 'DELETE', '/v1/account/delete')).status).toBe(204);
      expect((await call(person, 'DELETE', '/v1/account/delete')).status).toBe(404);
      expect((await standing(person)).deletion).toBeNull();
      await eventually(
        () => mails.to(person.email).some(({ subject }) => subject.includes('withdrawn')),
        LONG / 2,
      );
      // Its workflow ends without a mail that asks for a confirmation.
      const { workflow } = market.engine.link.client() as TemporalClient;
      expect(await workflow.getHandle(`deletion/${first.body.deletion_id}`).result()).toBe('withdrawn');
    },
    LONG,
  );

  it(
    'lapses without a confirmation, whose token is then of no use',
    async () => {
      const person = await register(market, 'buyer');
      const { deletion_id: id } = (await ask(person)).body;
      const token = await confirmationOf(person, id);
      expect((await confirm(`${token}x`)).status).toBe(422);
      await fastForward(market.engine.link.client() as TemporalClient, `deletion/${id}`, 14 * DAY_MS);
      await isIn(id, 'lapsed');
      expect((await confirm(token)).status).toBe(422);
      expect((await call(person, 'GET', '/v1/auth/me')).status).toBe(200);
    },
    LONG,
  );
});

describe('the end of a deletion', () => {
  it(
    'waits for a dispute that was opened meanwhile, and goes on when it is decided',
    async () => {
      const person = await register(market, 'buyer', 10);
      const { body: paid } = await invoke(market, person, soldAgent, { input: { text: 'bought' } });
      const { deletion_id: id } = (await ask(person)).body;
      const opened = await dispute(market, person, paid.invocation_id ?? '');
      const token = await confirmationOf(person, id);
      expect((await confirm(token)).status).toBe(202);
      await eventually(
        async () => (await stateOf(id))?.blocked_by.includes('open_disputes') === true,
        LONG / 2,
      );
      expect(await stateOf(id)).toEqual({ state: 'confirmed', blocked_by: ['open_disputes'] });
      await eventually(
        () => mails.to(person.email).some(({ subject }) => subject.includes('waits')),
        LONG / 2,
      );

      // The refund leaves credits in the wallet, which were not given up.
      await respond(market, seller, opened.body.dispute_id, 'accept');
      await fastForward(market.engine.link.client() as TemporalClient, `deletion/${id}`, DAY_MS / 8);
      await eventually(async () => (await stateOf(id))?.blocked_by[0] === 'wallet', LONG / 2);
      expect((await invoke(market, person, soldAgent, { input: { text: 'the last credits' } })).status).toBe(
        200,
      );
      await fastForward(market.engine.link.client() as TemporalClient, `deletion/${id}`, DAY_MS / 8);
      await isIn(id, 'erased');
      await expectWholeLedger(market);
    },
    LONG,
  );

  it('erases a step that was cut short from its begin', async () => {
    const person = await register(market, 'buyer');
    const { deletions } = market.container;
    const { rows } = await market.owner.query<{ deletion_id: string }>(
      `INSERT INTO account_deletions (deletion_id, user_id, state, forfeits, confirm_from, confirmed_at, workflow_started_at)
       VALUES ($1, $2, 'confirmed', true, now(), now(), now()) RETURNING deletion_id`,
      [`del_${'0'.repeat(31)}1`, person.userId],
    );
    const id = rows[0]?.deletion_id ?? '';
    const { signal } = new AbortController();
    // Nothing is erased before the erasure has begun.
    await deletions.erase(id, 'account', signal);
    expect((await call(person, 'GET', '/v1/auth/me')).status).toBe(200);
    for (const step of [1, 2]) expect([step, await deletions.begin(id)]).toEqual([step, 'erasing']);
    expect((await call(person, 'GET', '/v1/auth/me')).status).toBe(401);
    for (const part of ['access', 'notices', 'money', 'account', 'account'] as const)
      await deletions.erase(id, part, signal);
    await deletions.finish(id);
    await deletions.finish(id);
    expect((await stateOf(id))?.state).toBe('erased');
    expect(await deletions.begin(id)).toBe('ended');
  });
});

/** An account with its name in every place that an account can fill. */
async function fullAccount(word: string): Promise<TestUser & { keyId: string }> {
  const email = `${word}@example.test`;
  const answer = await fetch(`${market.url}/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': `${word} browser` },
    body: JSON.stringify({ email, password: PASSWORD, displayName: `${word} person`, role: 'developer' }),
  });
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]).join('; '); // prettier-ignore
  const { user_id: userId } = (await answer.json()) as { user_id: string };
  const person = { userId, email, cookie };
  const send = async (method: string, path: string, body?: object) => {
    const reply = await call(person, method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const details = {
    company: `${word} GmbH`,
    address: `${word} street 1`,
    country: 'DE',
    receipts_email: `billing-${email}`,
    reference: `PO ${word}`,
  };
  await send('PATCH', '/v1/billing/details', details);
  const topup = await fetch(`${market.url}/v1/billing/topup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'idempotency-key': `${word}-topup` },
    body: JSON.stringify({ amountPaise: 100_000, currency: 'INR' }),
  });
  expect(topup.status).toBe(201);
  await send('PUT', '/v1/auth/keeping', { days: 9 });
  const key = await send('POST', '/v1/keys', { name: `${word} key`, scopes: ['agents:invoke'] });
  await send('POST', '/v1/webhooks', {
    url: `https://${agent.url.split('/')[2] ?? ''}/${word}`,
    types: ['invocation.succeeded'],
  });
  await send('POST', '/v1/billing/budgets', { tag: `project=${word}`, credits: 500, window: 'month' });
  await send('PUT', `/v1/favourites/${soldAgent}`);
  await send('PUT', '/v1/notices/balance', { below_credits: 5 });
  await send('PUT', '/v1/billing/developer/tax-form', {
    kind: 'w8ben',
    legal_name: `${word} person`,
    country: 'GB',
    tax_id: 'QQ123456C',
    address: `${word} street`,
    signed_by: `${word} person`,
  });
  await send('PUT', '/v1/billing/developer/payout-method', {
    method: 'upi',
    details: { vpa: `${word}@bank`, account_holder_name: `${word} person` },
  });
  await send('POST', '/v1/auth/email', { email: `new-${email}`, password: PASSWORD });
  return { ...person, keyId: String(key['key_id']) };
}

/** Calls, mandates, disputes, agents and decisions of operators, with the word in each of their texts. */
async function livedIn(person: TestUser, word: string): Promise<string> {
  const input = { text: `I am ${word}` };
  const bought = await invoke(market, person, soldAgent, {
    input,
    metadata: { project: word },
    idempotency_key: `${word}-1`,
  });
  expect(bought.status).toBe(200);
  const opened = await dispute(market, person, bought.body.invocation_id ?? '', {
    description: `${word} is not content`,
    attachments: { input: { text: `I am ${word}` } },
  });
  expect(opened.status).toBe(201);
  expect((await respond(market, seller, opened.body.dispute_id, 'accept')).status).toBe(200);
  const slug = newSlug('own');
  const own = await putLive(market, person.userId, agent.url, { agentId: slug, credits: 10 });
  await market.owner.query(`SELECT set_config('market.erasing', 'on', false)`);
  await market.owner.query(
    `UPDATE agent_versions SET display_name = $2, description = $2, tags = ARRAY[$2],
            manifest = replace(manifest, '"description":"', '"description":"' || $2) WHERE agent_id = $1`,
    [own.agentId, word],
  );
  await market.owner.query(`SELECT set_config('market.erasing', '', false)`);
  const caller = await register(market, 'buyer');
  const signer = await registerSigner(market, person);
  const holder = await newSigner();
  const jws = await signMandate(market, {
    issuer: person.userId,
    subject: own.agentId,
    signer,
    holder,
    constraints: [budget(50)],
    claims: { jti: `mdt_${word}` },
  });
  const proof = await signProof(market, { jws, agentId: soldAgent, input, holder });
  const mandate = { type: 'a2a.spend.v1', jws, proof };
  const mandated = await invoke(market, caller, soldAgent, { input, mandate });
  expect([mandated.status, mandated.body.error?.message]).toEqual([200, undefined]);
  for (const action of ['freeze', 'unfreeze'])
    await call(operator, 'POST', `/v1/operator/accounts/${person.userId}/${action}`, {
      reason: `${word} asked for it`,
    });
  await exportAll(market, person);
  return own.agentId;
}

it(
  'leaves the address and the name of an account nowhere',
  async () => {
    const word = 'zqadalovelacq';
    const person = await fullAccount(word);
    const ownAgent = await livedIn(person, word);
    await expectWholeLedger(market);
    const before = await placesOf(market, [word]);
    for (const place of [
      'public.users.email',
      'public.users.display_name',
      'public.users.developer_id',
      'sealed kept_bodies.input',
    ])
      expect(before).toContain(place);
    expect(before.length).toBeGreaterThan(25);

    const deletionId = await erase(person, { forfeit_credits: true });
    expect(await placesOf(market, [word])).toEqual([]);
    expect(logs.text()).toContain('"msg":"request"');
    expect(logs.text()).not.toContain(word);
    await expectWholeLedger(market);

    // The account is closed, its agents are retired, and its calls can still be read by operators.
    expect((await call(person, 'GET', '/v1/auth/me')).status).toBe(401);
    for (const path of [`/v1/agents/${ownAgent}`, `/v1/agents/${ownAgent}/trust-reports`])
      expect((await call(operator, 'GET', path)).status).toBeLessThan(500);
    for (const path of [
      `/v1/operator/agents/${ownAgent}`,
      `/v1/operator/accounts/${person.userId}`,
      '/v1/operator/disputes?status=all',
    ])
      expect([path, (await call(operator, 'GET', path)).status]).toEqual([path, 200]);
    const list = await call<{ items: { deletion_id: string; gone_by: string }[] }>(
      operator,
      'GET',
      '/v1/operator/deletions?status=erased',
    );
    expect(list.body.items.find(({ deletion_id }) => deletion_id === deletionId)?.gone_by).toMatch(/^20/);

    // Whom its invoice named is kept sealed, for operators who say why.
    const kept = await call(operator, 'POST', `/v1/operator/accounts/${person.userId}/retained-record`, {
      reason: 'The tax office asks.',
    });
    expect(JSON.stringify(kept.body)).toContain(`${word} GmbH`);
    expect(
      (
        await call(seller, 'POST', `/v1/operator/accounts/${person.userId}/retained-record`, {
          reason: 'Curious.',
        })
      ).status,
    ).toBe(403);

    // The same address is a new account.
    const again = await fetch(`${market.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email: person.email,
        password: PASSWORD,
        displayName: 'Somebody new',
        role: 'buyer',
      }),
    });
    expect(again.status).toBe(201);
    expect(((await again.json()) as { user_id: string }).user_id).not.toBe(person.userId);
  },
  2 * LONG,
);
