/**
 * Login of a device without a browser (RFC 8628, docs/oauth.md): the flow, what a hostile device tries, and the command
 * line.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { marketCommand } from '../../support/cli/market-command';
import { eventually, register, type TestUser } from '../../support/market';
import {
  csrfOf,
  openBrowser,
  originOf,
  post,
  type RawClient,
  registerClient,
} from '../../support/accounts/oauth';
import { useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const market = useMarket();
let buyer: TestUser;
let client: RawClient;
beforeAll(async () => {
  buyer = await register(market, 'buyer', 1_000);
  client = await registerClient(market);
});

const redeem = (form: Record<string, string>) => post(market, '/oauth/token', form);

describe('the login of a device', () => {
  const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
  const begin = (fields: Record<string, string> = {}) =>
    post(market, '/oauth/device_authorization', { client_id: 'market-cli', ...fields });
  const poll = (deviceCode: string, more: Record<string, string> = {}) =>
    redeem({ grant_type: GRANT, device_code: deviceCode, client_id: 'market-cli', ...more });
  const pageOf = (body: Record<string, unknown>) => `/oauth/device?user_code=${body['user_code'] as string}`;
  const decide = async (body: Record<string, unknown>, fields: Record<string, string>, who = buyer) => {
    const browser = openBrowser(market, who.cookie);
    return browser.submit(await browser.open(pageOf(body)), pageOf(body), fields);
  };
  /** Sets the time of the device's last poll, so that the speed of the machine does not matter. */
  const pollAt = (deviceCode: string, time: string) =>
    market.owner.query(
      `UPDATE oauth_devices SET polled_at = ${time} WHERE device_sha256 = sha256(convert_to($1, 'UTF8'))`,
      [deviceCode],
    );

  it('gives a key of the scopes and the cap that the person permitted, once', async () => {
    const { status, body } = await begin({ scope: 'agents:read billing:read' });
    expect([status, body]).toEqual([
      200,
      {
        device_code: expect.stringMatching(/^amd_[\w-]{43}$/) as string,
        user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/) as string,
        verification_uri: `${originOf(market)}/oauth/device`,
        verification_uri_complete: originOf(market) + pageOf(body),
        expires_in: 600,
        interval: 2,
      },
    ]);
    const code = body['device_code'] as string;
    expect((await poll(code)).body['error']).toBe('authorization_pending');
    const page = await openBrowser(market, buyer.cookie).open(pageOf(body));
    for (const text of [body['user_code'] as string, 'billing:read', 'from the address', buyer.email])
      expect(page.html).toContain(text);
    expect(page.html).not.toMatch(/<script|agents:publish/);
    expect((await decide(body, { action: 'allow', credit_cap: '7' })).html).toContain('logged in');
    const [first, second] = await Promise.all([poll(code), poll(code)]);
    const given = first?.status === 200 ? first : second;
    expect([first?.status, second?.status].sort()).toEqual([200, 400]);
    expect(given?.body).toMatchObject({ token_type: 'X-API-Key', scope: 'agents:read billing:read', email: buyer.email });
    const key = given?.body['access_token'] as string;
    const read = (path: string) => fetch(market.url + path, { headers: { 'x-api-key': key } });
    expect((await read('/v1/billing/balance')).status).toBe(200);
    expect((await read('/v1/webhooks')).status).toBe(403);
    const { rows } = await market.owner.query<{ credit_cap_units: string; days: number }>(
      `SELECT credit_cap_units, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM api_keys WHERE key_id = $1`,
      [given?.body['key_id']],
    );
    expect(rows).toEqual([{ credit_cap_units: '700', days: 90 }]);
    expect((await post(market, '/oauth/revoke', { token: key, client_id: 'market-cli' })).status).toBe(200);
    expect((await read('/v1/billing/balance')).status).toBe(401);
  });

  it('counts wrong passwords of its page like the login, whatever text the form has', async () => {
    for (const email of [`${'a'.repeat(500)}@x.y`, `${buyer.email}\0`, '\ud800']) {
      const browser = openBrowser(market);
      const page = await browser.open('/oauth/device');
      for (const password of ['x\0'.repeat(3_000), 'x']) {
        const fields = { action: 'sign_in', email, password };
        expect((await browser.submit(page, '/oauth/device', fields)).status).toBe(401);
      }
      const sent = new URLSearchParams({ email }).get('email') ?? '';
      const { rows } = await market.owner.query<{ points: number }>(
        'SELECT points FROM rate_limits WHERE key = $1',
        [`login/127.0.0.1/${createHash('sha256').update(sent.toWellFormed()).digest('base64url')}`],
      );
      expect(rows).toEqual([{ points: 2 }]);
    }
  });

  it('ends with a change of the password after the person approved it', async () => {
    const person = await register(market, 'buyer');
    const { body } = await begin();
    await decide(body, { action: 'allow', credit_cap: '7' }, person);
    await market.container.accounts.changePassword(person.userId, {
      oldPassword: 'correct horse battery',
      newPassword: 'another long passphrase',
      ends: { keys: false, grants: false },
    });
    expect((await poll(body['device_code'] as string)).body['error']).toBe('invalid_grant');
    const { rows } = await market.owner.query<{ kind: string }>(
      'SELECT kind FROM security_mails WHERE recipient = $1 ORDER BY kind',
      [person.userId],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['device_approved', 'password_changed']));
  });

  it('slows down a device that polls too often', async () => {
    const code = (await begin()).body['device_code'] as string;
    await poll(code);
    await pollAt(code, `now() + interval '1 minute'`);
    expect((await poll(code)).body['error']).toBe('slow_down');
    const { rows } = await market.owner.query<{ poll_seconds: number }>(
      `SELECT poll_seconds FROM oauth_devices WHERE device_sha256 = sha256(convert_to($1, 'UTF8'))`,
      [code],
    );
    expect(rows[0]?.poll_seconds).toBe(7);
    await pollAt(code, 'NULL');
    expect((await poll(code)).body['error']).toBe('authorization_pending');
  });

  it('ends by refusal and by expiry, and a decision is final', async () => {
    const refused = (await begin()).body;
    await decide(refused, { action: 'deny' });
    const browser = openBrowser(market, buyer.cookie);
    expect((await browser.open(pageOf(refused))).status).toBe(404);
    expect((await poll(refused['device_code'] as string)).body['error']).toBe('access_denied');
    expect((await poll(refused['device_code'] as string)).body['error']).toBe('invalid_grant');
    const late = (await begin()).body;
    const page = await browser.open(pageOf(late));
    await market.owner.query(`UPDATE oauth_devices SET expires_at = now() - interval '1 s' WHERE user_code = $1`, [
      (late['user_code'] as string).replace('-', ''),
    ]);
    expect((await browser.submit(page, pageOf(late), { action: 'allow' })).status).toBe(404);
    expect((await poll(late['device_code'] as string)).body['error']).toBe('expired_token');
  });

  it('gives nothing to another client, for another code, or without the hidden token of the page', async () => {
    expect((await begin({ client_id: client.clientId })).body['error']).toBe('unauthorized_client');
    expect((await begin({ scope: 'agents:read openid' })).body['error']).toBe('invalid_scope');
    const { body } = await begin();
    const code = body['device_code'] as string;
    for (const form of [
      { client_id: client.clientId },
      { device_code: body['user_code'] as string },
      { device_code: `amd_${'A'.repeat(43)}` },
      { device_code: '\0' },
      { device_code: '' },
    ])
      expect([form, (await poll(code, form)).body['error']]).toEqual([form, 'invalid_grant']);
    const browser = openBrowser(market, buyer.cookie);
    const page = await browser.open(pageOf(body));
    const other = csrfOf(await browser.open(pageOf((await begin()).body)));
    for (const csrf of ['', 'x', other ?? ''])
      expect((await browser.submit(page, pageOf(body), { csrf, action: 'allow' })).status).toBe(403);
    expect((await poll(code)).body['error']).toBe('authorization_pending');
  });

  it('asks to sign in first, and gives the same answer for every code that is not pending', async () => {
    const { body } = await begin();
    const browser = openBrowser(market);
    const page = await browser.open(pageOf(body));
    expect([page.html.includes('Sign in'), page.html.includes(body['user_code'] as string)]).toEqual([true, true]);
    expect(page.html).not.toContain('from the address');
    const wrong = await browser.submit(page, pageOf(body), { action: 'sign_in', email: buyer.email, password: 'no' });
    expect(wrong.status).toBe(401);
    const right = { action: 'sign_in', email: buyer.email, password: 'correct horse battery' };
    expect((await browser.submit(wrong, pageOf(body), right)).headers.get('location')).toBe(pageOf(body));
    expect((await browser.open(pageOf(body))).html).toContain('from the address');
    for (const code of ['BCDF-BCDF', '<script>', '%00', 'x'.repeat(40), "'"]) {
      const answer = await browser.open(`/oauth/device?user_code=${encodeURIComponent(code)}`);
      expect([code, answer.status, answer.html.includes('<script>')]).toEqual([code, 404, false]);
    }
    for (const query of ['user_code=a&user_code=b', `user_code=${'x'.repeat(41)}`, 'user_code[]=a'])
      expect([query, (await browser.open(`/oauth/device?${query}`)).status]).toEqual([query, 422]);
  });

  it('lets an account try few codes', async () => {
    const guesser = await register(market, 'buyer');
    const browser = openBrowser(market, guesser.cookie);
    const statuses: number[] = [];
    for (let guess = 0; guess < 22; guess += 1) statuses.push((await browser.open('/oauth/device?user_code=BCDF-GHJK')).status);
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
  });
}); // prettier-ignore

describe('market login --browser', () => {
  const newestCode = async () => {
    const { rows } = await market.owner.query<{ user_code: string }>(
      `SELECT user_code FROM oauth_devices WHERE state = 'pending' AND expires_at > now() ORDER BY created_at DESC LIMIT 1`,
    );
    return rows[0]?.user_code ?? '';
  };

  it('saves the key that a person permitted, uses it, and ends it', async () => {
    const command = marketCommand(market.url);
    await market.owner.query('DELETE FROM oauth_devices');
    const running = command.runAlone(['login', '--browser', '--scopes', 'agents:read,billing:read', '--json']);
    await eventually(async () => (await newestCode()) !== '', 60_000);
    const address = `/oauth/device?user_code=${await newestCode()}`;
    const browser = openBrowser(market, buyer.cookie);
    await browser.submit(await browser.open(address), address, { action: 'allow', credit_cap: '5' });
    const login = await running;
    expect(login.stderr).toContain(`Open ${originOf(market)}/oauth/device?user_code=`);
    expect(login.json()).toMatchObject({ email: buyer.email, scopes: ['agents:read', 'billing:read'] });
    expect(login.stdout + login.stderr).not.toContain('amk_live_');
    expect(statSync(join(command.folder, 'config/sessions.json')).mode & 0o777).toBe(0o600);

    expect((await command.run(['balance', '--json'])).json()).toMatchObject({ wallet: { available_credits: 1_000 } });
    expect((await command.run(['whoami'])).stdout).toMatch(/ by the key key_\w+, which may: agents:read, billing:read/);
    const person = await command.run(['api-keys', 'list']);
    expect([person.code, person.stderr]).toEqual([3, expect.stringContaining('a login by browser may not do this')]);
    expect((await command.run(['logout'])).code).toBe(0);
    expect((await command.run(['balance'])).code).toBe(3);
    const { rows } = await market.owner.query<{ live: number }>(
      `SELECT count(*)::int AS live FROM api_keys WHERE user_id = $1 AND name = 'market login' AND deleted_at IS NULL`,
      [buyer.userId],
    );
    expect(rows).toEqual([{ live: 0 }]);
    command.remove();
  });

  it('reports a wrong scope, and ends when the person refuses', async () => {
    const command = marketCommand(market.url);
    const scope = await command.run(['login', '--browser', '--scopes', 'everything']);
    expect([scope.code, scope.stderr]).toEqual([2, expect.stringContaining('Scopes are agents:invoke')]);
    await market.owner.query('DELETE FROM oauth_devices');
    const running = command.runAlone(['login', '--browser']);
    await eventually(async () => (await newestCode()) !== '', 60_000);
    await market.owner.query(`UPDATE oauth_devices SET state = 'denied', user_id = $1`, [buyer.userId]);
    const refused = await running;
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('The person refused.')]);
    command.remove();
  });
}); // prettier-ignore
