import { type TOTP, URI } from 'otpauth';
import { Client } from 'pg';
import { createLogger } from '../../../src/logger';
import type { Mail } from '../../../src/egress/mail';
import { createAccountMails } from '../../../src/services/accounts/account-mails';
import { createNoticeMails } from '../../../src/services/accounts/notice-mails';
import { requestMail } from '../../../src/stores/accounts/mails';
import { startTestApi, type TestApi } from '../../support/stack/api';
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import { eventually, register, type TestUser } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket();

const mailOf = async (user: TestUser, kind: string) => {
  const { rows } = await market.owner.query<{
    subject: string;
    attempts: number;
    due_at: Date | null;
    sent_at: Date | null;
  }>('SELECT subject, attempts, due_at, sent_at FROM security_mails WHERE recipient = $1 AND kind = $2', [
    user.userId,
    kind,
  ]);
  return rows[0];
};
const call = async (user: TestUser, method: string, path: string, body: object) => {
  const response = await fetch(`${market.url}${path}`, {
    method,
    headers: { cookie: user.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    body: (await response.json()) as { webhook_id: string; error?: { code: string } },
  };
};

const BANK = {
  method: 'ach',
  details: {
    account_holder_name: 'Ada Lovelace',
    routing_number: '021000021',
    account_number: '123456789',
    account_type: 'checking',
  },
};

it('reports a payout method that changes, and sends the mail from the worker', async () => {
  const developer = await register(market, 'developer');
  expect((await call(developer, 'PUT', '/v1/billing/developer/payout-method', BANK)).status).toBe(200);
  await eventually(async () => (await mailOf(developer, 'payout_method_changed'))?.sent_at instanceof Date);
  expect(await mailOf(developer, 'payout_method_changed')).toMatchObject({ subject: 'ach', due_at: null });
});

it('reports a webhook secret or URL that changes', async () => {
  const buyer = await register(market, 'buyer');
  const created = await call(buyer, 'POST', '/v1/webhooks', {
    url: 'https://127.77.0.1/hook',
    types: ['invocation.succeeded'],
  });
  expect(created.status).toBe(201);
  const { webhook_id: webhookId } = created.body;
  expect((await call(buyer, 'POST', `/v1/webhooks/${webhookId}/rotate-secret`, {})).status).toBe(200);
  await eventually(async () => (await mailOf(buyer, 'webhook_secret_changed'))?.sent_at instanceof Date);
  expect(await mailOf(buyer, 'webhook_secret_changed')).toMatchObject({ subject: webhookId });
  const change = (body: object) => call(buyer, 'PATCH', `/v1/webhooks/${webhookId}`, body);
  expect((await change({ types: ['credits.loaded'] })).status).toBe(200);
  expect(await mailOf(buyer, 'webhook_url_changed')).toBeUndefined();
  expect((await change({ url: 'https://127.77.0.1/other' })).status).toBe(200);
  await eventually(async () => (await mailOf(buyer, 'webhook_url_changed'))?.sent_at instanceof Date);
  expect(await mailOf(buyer, 'webhook_url_changed')).toMatchObject({ subject: webhookId });
});

it('creates no account and no change if their mail cannot be stored, and answers an error', async () => {
  const developer = await register(market, 'developer');
  const email = `unwritten-${developer.userId}@example.test`;
  const account = { email, password: 'Vellum-otter-39-cedar', displayName: 'Ada', role: 'buyer' };
  const signUp = () => call({ ...developer, cookie: '' }, 'POST', '/v1/auth/register', account);
  await market.owner.query('REVOKE INSERT ON mails, security_mails FROM market_app');
  try {
    for (const refused of [
      await signUp(),
      await call(developer, 'PUT', '/v1/billing/developer/payout-method', BANK),
    ]) {
      expect(refused.status).toBe(503);
      expect(refused.body.error).toMatchObject({
        code: 'not_ready',
        message: expect.stringContaining('Nothing was changed'),
        retryable: true,
      });
    }
  } finally {
    await market.owner.query('GRANT INSERT ON mails, security_mails TO market_app');
  }
  expect((await market.owner.query('SELECT FROM users WHERE email = $1', [email])).rowCount).toBe(0);
  expect((await signUp()).status).toBe(201);
});

describe('market', () => {
  let command: MarketCommand;
  beforeAll(() => {
    command = marketCommand(market.url);
  });
  afterAll(() => command.remove());

  it('manages sessions, the authenticator app and the password of an account', async () => {
    const person = await register(market, 'buyer');
    const password = { input: 'correct horse battery\n' };
    const login = (...more: string[]) =>
      command.run(['login', '--email', person.email, '--password-stdin', ...more], password);
    expect(await login()).toMatchObject({ code: 0, stderr: '' });
    expect((await command.run(['security'])).stdout).toMatch(/email confirmed\s+false/);
    const listed = (await command.run(['sessions', 'list', '--json'])).json<{
      items: { session_id: string; current: boolean }[];
    }>();
    const other = listed.items.find(({ current }) => !current)?.session_id ?? '';
    expect((await command.run(['sessions', 'end', other])).stdout).toBe(`${other} has ended.\n`);
    expect(await command.run(['sessions', 'end'])).toMatchObject({ code: 2 });
    expect(await command.run(['email', 'confirm', 'a-wrong-token'])).toMatchObject({ code: 1 });
    const mails = await command.run([
      'notices',
      'mails',
      '--off',
      'agents',
      'bond',
      '--on',
      'bond',
      '--json',
    ]);
    const on = {
      disputes: true,
      payouts: true,
      wallet: true,
      prices: true,
      budgets: true,
      keys: true,
      logins: true,
      webhooks: true,
    };
    expect(mails.json()).toEqual({ ...on, agents: false, bond: false });
    expect((await command.run(['notices', 'mails', '--on', 'bond'])).stdout).toMatch(
      /agents\s+false\n.*\nbond\s+true/,
    );
    expect(await command.run(['notices', 'mails', '--off', 'weather'])).toMatchObject({ code: 1 });
    const begun = await command.run(['totp', 'enrol', '--password-stdin', '--json'], password);
    const app = URI.parse(begun.json<{ otpauth_uri: string }>().otpauth_uri) as TOTP;
    const confirmed = await command.run(['totp', 'confirm', app.generate(), '--json']);
    const [recovery = ''] = confirmed.json<{ recovery_codes: string[] }>().recovery_codes;
    expect(await login()).toMatchObject({ code: 3, stderr: expect.stringContaining('totp_code') as string });
    expect(await login('--totp', recovery)).toMatchObject({ code: 0 });
    const reset = await command.run(['password', 'reset', '--email', person.email]);
    expect(reset).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('a mail is on its way') as string,
    });
  });
});

describe('the outbox', () => {
  /** A database without a worker. */
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  function outbox(send: (mail: Mail) => Promise<'sent' | 'refused'>) {
    return createAccountMails({
      db: api.pool,
      sender: { send },
      origin: 'https://market.example',
      trustsUnconfirmed: true,
      logger: createLogger('outbox-test', 'silent'),
    });
  }
  let people = 0;
  async function newUser(): Promise<string> {
    people += 1;
    const email = `outbox${people}@example.com`;
    const person = { email, password: 'correct horse battery', displayName: 'A', role: 'buyer' as const };
    const { userId } = await api.accounts.register(person);
    await outbox(() => Promise.resolve('sent')).send();
    return userId;
  }
  const change = (recipient: string, subject = '') =>
    requestMail(api.pool, { recipient, kind: 'webhook_secret_changed', subject });
  const OUTBOXES = ['security_mails', 'mails'];
  /** Milliseconds until the next mail is due; undefined if none is. */
  async function dueIn(recipient: string): Promise<number | undefined> {
    const { rows } = await api.pool.query<{ ms: number | null }>(
      `SELECT min(extract(epoch FROM due_at - now()))::float8 * 1000 AS ms
         FROM (${OUTBOXES.map((table) => `SELECT recipient, kind, due_at FROM ${table}`).join(' UNION ALL ')}) m
        WHERE recipient = $1 AND kind = 'webhook_secret_changed'`,
      [recipient],
    );
    return rows[0]?.ms ?? undefined;
  }
  async function makeDue(recipient: string): Promise<void> {
    for (const table of OUTBOXES)
      await api.pool.query(`UPDATE ${table} SET due_at = now() WHERE recipient = $1 AND due_at IS NOT NULL`, [
        recipient,
      ]);
  }

  it('sends a mail for each change, also when two changes of a kind follow each other', async () => {
    const userId = await newUser();
    const sent: string[] = [];
    const mails = outbox(({ text }) => {
      sent.push(text);
      return Promise.resolve('sent');
    });
    await change(userId, 'whk_1');
    await change(userId, 'whk_2');
    await mails.send();
    await change(userId, 'whk_2');
    await mails.send();
    expect(sent.map((text) => /whk_[0-9]/.exec(text)?.[0]).sort()).toEqual(['whk_1', 'whk_2', 'whk_2']);
    const times = sent.map((text) => Date.parse(/Time of the change: (\S+)/.exec(text)?.[1] ?? ''));
    for (const time of times) expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
    expect(await dueIn(userId)).toBeUndefined();
  });

  it('merges what is beyond 20 changes of a kind in an hour, so that no account can fill it', async () => {
    const userId = await newUser();
    const sent: Mail[] = [];
    const mails = outbox((mail) => {
      sent.push(mail);
      return Promise.resolve('sent');
    });
    for (let n = 1; n <= 50; n += 1) await change(userId, `whk_${n}`);
    await mails.send();
    expect(sent).toHaveLength(21);
    const merged = sent.filter(({ text }) => text.includes('This happened'));
    expect(merged).toHaveLength(1);
    expect(merged[0]?.text).toContain('your webhook whk_50 was changed');
    expect(merged[0]?.text).toContain('This happened 30 times');
    await change(userId, 'whk_last');
    await mails.send();
    expect(sent).toHaveLength(21);
    expect(Math.round(((await dueIn(userId)) ?? 0) / 10_000)).toBe(6);
    await makeDue(userId);
    await mails.send();
    expect(sent[21]?.text).toContain('whk_last');
    await api.pool.query(`UPDATE security_mails SET requested_at = requested_at - interval '61 minutes'`);
    await change(userId, 'whk_hour_later');
    await mails.send();
    expect(sent[22]?.text).toContain('whk_hour_later');
  });

  it('retries with longer pauses while the mail server fails, and then gives up', async () => {
    const userId = await newUser();
    await change(userId);
    const failing = outbox(() => Promise.reject(new Error('the server is away')));
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 15; attempt += 1) {
      await makeDue(userId);
      await failing.send();
      pauses.push(Math.round(((await dueIn(userId)) ?? 0) / 1_000));
    }
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1_920, ...Array<number>(8).fill(3_600)]);
    await makeDue(userId);
    await failing.send();
    expect(await dueIn(userId)).toBeUndefined();
  });

  it('sends a change that happens while the mail before it is sent', async () => {
    const userId = await newUser();
    await change(userId, 'whk_first');
    const texts: string[] = [];
    const mails = outbox(async ({ text }) => {
      texts.push(text);
      if (texts.length === 1) await change(userId, 'whk_second');
      return 'sent';
    });
    await mails.send();
    await makeDue(userId);
    await mails.send();
    expect(texts).toHaveLength(2);
    expect(texts[1]).toContain('whk_second');
  });

  it('does not retry a mail that the server refused permanently, and gives a mail to one of two workers', async () => {
    const userId = await newUser();
    await change(userId);
    let attempts = 0;
    const send = () => {
      attempts += 1;
      return Promise.resolve('refused' as const);
    };
    await Promise.all([outbox(send).send(), outbox(send).send()]);
    expect(attempts).toBe(1);
    expect(await dueIn(userId)).toBeUndefined();
  });

  it('deletes mails a day after they were sent, and expired tokens', async () => {
    const userId = await newUser();
    await change(userId);
    await outbox(() => Promise.resolve('sent')).send();
    for (const table of OUTBOXES)
      await api.pool.query(`UPDATE ${table} SET sent_at = now() - interval '25 hours' WHERE recipient = $1`, [
        userId,
      ]);
    await api.pool.query(`UPDATE mail_tokens SET expires_at = now() - interval '1 s' WHERE user_id = $1`, [
      userId,
    ]);
    await outbox(() => Promise.resolve('sent')).purge();
    for (const [table, column] of [
      ['mails', 'recipient'],
      ['security_mails', 'recipient'],
      ['mail_tokens', 'user_id'],
    ]) {
      const { rowCount } = await api.pool.query(`SELECT FROM ${table} WHERE ${column} = $1`, [userId]);
      expect(rowCount).toBe(0);
    }
  });

  describe('of notices', () => {
    const noticesOf = (sender: (mail: Mail) => Promise<'sent' | 'refused'>) =>
      createNoticeMails({
        db: api.pool,
        sender: { send: sender },
        origin: 'https://market.example',
        trustsUnconfirmed: true,
        logger: createLogger('notices-test', 'silent'),
      });
    function recorded() {
      const sent: Mail[] = [];
      const mails = noticesOf((mail) => {
        sent.push(mail);
        return Promise.resolve('sent');
      });
      return { sent, mails };
    }
    const pay = (userId: string, credits: number) =>
      api.pool.query(
        `SELECT event_record('payout.completed', jsonb_build_object('credits', $2::int), ARRAY[$1])`,
        [userId, credits],
      );
    const dueNow = (userId: string) =>
      api.pool.query('UPDATE notice_mails SET due_at = now() WHERE user_id = $1 AND due_at IS NOT NULL', [
        userId,
      ]);
    const waiting = async (userId: string) =>
      (await api.pool.query('SELECT FROM notice_mails WHERE user_id = $1 AND due_at IS NOT NULL', [userId]))
        .rowCount;

    it('sends the first five of a day at once, and the others as one mail a day later', async () => {
      const userId = await newUser();
      const { sent, mails } = recorded();
      for (let n = 1; n <= 5; n += 1) {
        await pay(userId, n);
        await mails.send();
      }
      expect(sent.map(({ subject }) => subject)).toEqual(Array<string>(5).fill('Your payout was sent'));
      for (let n = 6; n <= 30; n += 1) await pay(userId, n);
      await mails.send();
      expect(sent).toHaveLength(5);
      const { rows } = await api.pool.query<{ hours: number; times: number }>(
        `SELECT max(extract(epoch FROM due_at - now()))::float8 / 3600 AS hours, count(DISTINCT due_at)::int AS times
           FROM notice_mails WHERE user_id = $1 AND due_at IS NOT NULL`,
        [userId],
      );
      expect(rows).toEqual([{ hours: expect.closeTo(24, 1) as number, times: 1 }]);
      await dueNow(userId);
      await mails.send();
      expect(sent).toHaveLength(6);
      expect(sent[5]?.subject).toBe('25 notices about your account');
      expect(sent[5]?.text).toContain('25 credits were paid out.\n  https://market.example/console/notices');
      expect(sent[5]?.text).not.toContain('26 credits were paid out.');
      expect(sent[5]?.text).toContain('There are more notices: https://market.example/console/notices');
      expect(await waiting(userId)).toBe(0);
    });

    it('sends a mail once of two workers, and repeats one whose worker died under the same id', async () => {
      const userId = await newUser();
      await pay(userId, 1);
      const sent: Mail[] = [];
      const died = noticesOf((mail) => {
        sent.push(mail);
        return new Promise(() => undefined);
      });
      void died.send();
      await eventually(() => Promise.resolve(sent.length === 1));
      const { sent: again, mails } = recorded();
      await mails.send();
      expect(again).toHaveLength(0);
      // The lease of the worker that died is over.
      await dueNow(userId);
      await Promise.all([mails.send(), mails.send()]);
      expect(again.map(({ messageId }) => messageId)).toEqual([sent[0]?.messageId]);
      expect(sent[0]?.messageId).toMatch(/^<notice-\d+@market\.example>$/);
    });

    it('tries for more than a day while the mail server refuses for now, and not again after a lasting refusal', async () => {
      const userId = await newUser();
      await pay(userId, 1);
      const failing = noticesOf(() => Promise.reject(new Error('451 later')));
      let seconds = 0;
      for (let attempt = 1; attempt <= 35; attempt += 1) {
        await dueNow(userId);
        await failing.send();
        const { rows } = await api.pool.query<{ s: number }>(
          'SELECT extract(epoch FROM due_at - now())::float8 AS s FROM notice_mails WHERE user_id = $1',
          [userId],
        );
        seconds += rows[0]?.s ?? 0;
      }
      expect(seconds / 3_600).toBeGreaterThan(24);
      await dueNow(userId);
      await failing.send();
      expect(await waiting(userId)).toBe(0);
      await pay(userId, 2);
      await noticesOf(() => Promise.resolve('refused')).send();
      expect(await waiting(userId)).toBe(0);
    });

    it('sends none about a verification that ended well, of a deleted account, and three days later', async () => {
      const userId = await newUser();
      const { sent, mails } = recorded();
      const verified = (outcome: string) =>
        api.pool.query(
          `SELECT event_record('agent.verification_completed', jsonb_build_object('slug', 's', 'outcome', $2::text), ARRAY[$1])`,
          [userId, outcome],
        );
      for (const outcome of ['live', 'passed', 'rejected']) await verified(outcome);
      await mails.send();
      expect(sent.map(({ text }) => text.split('\n')[0])).toEqual([expect.stringContaining('rejected')]);
      await pay(userId, 1);
      await api.pool.query(`UPDATE account_notices SET at = at - interval '73 hours' WHERE user_id = $1`, [
        userId,
      ]);
      await mails.send();
      await pay('usr_gone', 1);
      await mails.send();
      expect([sent.length, await waiting('usr_gone')]).toEqual([1, 0]);
    });

    it('sends one mail about a low wallet, one about a key that expires, and one about a login from a new network', async () => {
      const userId = await newUser();
      const { sent, mails } = recorded();
      await api.pool.query('INSERT INTO balance_alerts (user_id, below_units) VALUES ($1, 5000)', [userId]);
      const owner = new Client({ connectionString: api.database.ownerUrl });
      await owner.connect();
      await owner.query(
        `INSERT INTO api_keys (key_id, user_id, name, scopes, hint, created_at, expires_at)
         SELECT 'key_' || replace(uuidv7()::text, '-', ''), $1, 'soon', '{agents:read}', 'abcd', now() - age * interval '1 day',
             now() + days * interval '1 day'
           FROM (VALUES (0, 3), (0, 6), (0, 30), (30, 6), (30, 8)) k (age, days)`,
        [userId],
      );
      await owner.end();
      for (const network of ['203.0.113.7', '203.0.113.7', '198.51.100.1', '198.51.100.1'])
        await api.pool.query('SELECT login_noted($1, $2)', [userId, network]);
      // Keys that were made for less than a week, and those that expire later, are left out.
      await mails.send();
      for (let n = 0; n < 3; n += 1) await api.pool.query('SELECT account_alerts(100)');
      await mails.send();
      const links = sent.flatMap(({ text }) => text.match(/^ {2}\S+\/console\/\w+$/gm) ?? []);
      const page = (name: string) => `  https://market.example/console/${name}`;
      expect(links.sort()).toEqual([page('account'), page('keys'), page('wallet')]);
      expect(sent.map(({ text }) => text).join()).toMatch(/The API key key_\w+ expires at/);
      expect(sent.map(({ text }) => text).join()).toContain('less than the 50 credits that you set');
      expect(sent.map(({ text }) => text).join()).toContain('198.51.100.1');
    });

    it('deletes what ended two days ago', async () => {
      await api.pool.query(
        `UPDATE notice_mails SET ended_at = now() - interval '49 hours' WHERE due_at IS NULL`,
      );
      await recorded().mails.purge();
      expect((await api.pool.query('SELECT FROM notice_mails WHERE due_at IS NULL')).rowCount).toBe(0);
    });
  });
});
