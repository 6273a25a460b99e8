/** What developers read and say of their payouts over HTTP (contract, "Billing"). */
import { textOfPdf } from '../../support/documents/pdf';
import { newId } from '../../../src/kit/ids/ids';
import { expectWhole } from '../../support/ledger/ledger';
import { balance, register, startMarket, type TestMarket, type TestUser } from '../../support/market';
import { DETAILS, earn } from '../../support/payouts/payouts';
import { places, request } from '../../support/catalogue/publishing';

const DAY_MS = 86_400_000;
const BASE = '/v1/billing/developer';

let market: TestMarket;
let developer: TestUser;
let buyer: TestUser;
beforeAll(async () => {
  market = await startMarket({ operations: false });
  buyer = await register(market, 'buyer', 10_000);
});
beforeEach(async () => {
  developer = await register(market, 'developer');
});
afterAll(async () => {
  await expectWhole(market.container.pool);
  await market.stop();
});

interface Page<T> {
  items: T[];
  next_cursor: string | null;
  total: number;
}
const get = <T = Record<string, unknown>>(path: string, who = developer) =>
  request<T>(market, who, 'GET', BASE + path);
const put = (path: string, body: unknown, who = developer) => request(market, who, 'PUT', BASE + path, body);
/** Charges of `credits` that mature so many days from now. */
const earnIn = (days: number, credits: readonly number[]) =>
  earn(
    { ledger: market.container.ledger },
    { buyer: buyer.userId, developer: developer.userId },
    credits,
    new Date(Date.now() + days * DAY_MS),
  );
const reserve = async (monday = '2035-01-01') => {
  const { rows } = await market.owner.query<{ payout_id: string }>(
    `SELECT payout_id FROM payout_reserve($1, $2, 0, 100000000, ARRAY['ach', 'upi'], NULL)`,
    [developer.userId, monday],
  );
  return rows[0]?.payout_id ?? '';
};

describe('the payout method', () => {
  it('is masked when it is read, and the newest counts', async () => {
    expect((await get('/payout-method')).status).toBe(404);
    const first = await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    expect(first).toMatchObject({
      status: 200,
      body: { method: 'ach', details: { ...DETAILS.ach, account_number: '•••• 6789' } },
    });
    expect((await put('/payout-method', { method: 'upi', details: DETAILS.upi })).status).toBe(200);
    const { body } = await get('/payout-method');
    expect(body).toMatchObject({ method: 'upi', details: { vpa: '•••• bank' } });
    expect(JSON.stringify(body)).not.toContain('ada.l');
  });

  it.each([
    [
      'a routing number with a wrong digit',
      { ...DETAILS.ach, routing_number: '021000022' },
      ['routing_number'],
    ],
    ['missing details', {}, ['account_holder_name', 'account_number', 'account_type', 'routing_number']],
    ['a detail of another method', { ...DETAILS.ach, vpa: 'ada@okbank' }, ['vpa']],
    [
      'a line of its own in a bank file',
      { ...DETAILS.ach, account_holder_name: 'A\n6220' },
      ['account_holder_name'],
    ],
    ['a NUL', { ...DETAILS.ach, account_number: '1234\u00005' }, ['account_number']],
  ])('is refused with %s', async (_what, details, fields) => {
    const reply = await put('/payout-method', { method: 'ach', details });
    expect([reply.status, places(reply)]).toEqual([422, fields.map((field) => `details.${field}`)]);
  });

  it('shows that the bank returned it, until it is set again', async () => {
    await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    await market.owner.query('UPDATE payout_methods SET returned_at = now() WHERE developer_user_id = $1', [
      developer.userId,
    ]);
    const { body } = await get<{ returned_at: string | null }>('/payout-method');
    expect(body.returned_at).toMatch(/Z$/);
    const again = await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    expect(again.body).toMatchObject({ returned_at: null });
  });

  it('takes bank codes as people write them', async () => {
    const { account_holder_name, town } = DETAILS.swift;
    const details = {
      account_holder_name,
      town,
      bic: 'nwbk gb 2l',
      iban: 'gb29 NWBK 6016 1331 9268 19',
      country: 'gb',
    };
    expect(await put('/payout-method', { method: 'swift', details })).toMatchObject({
      status: 200,
      body: { details: { bic: 'NWBKGB2L', iban: '•••• 6819', country: 'GB' }, returned_at: null },
    });
    const usual = { ...DETAILS.ach, routing_number: '0210 0002 1' };
    expect((await put('/payout-method', { method: 'ach', details: usual })).status).toBe(200);
    const mistyped = { ...details, iban: 'GB29 NWBK 6016 1331 9268 18' };
    const reply = await put('/payout-method', { method: 'swift', details: mistyped });
    expect([reply.status, places(reply)]).toEqual([422, ['details.iban']]);
  });

  it.each(['José Müller', 'Straße', "O'Brien & Sons", 'Łukasz Ørsted', '“Ada” – Œuvres'])(
    'takes the name %s, and shows it as it was entered',
    async (name) => {
      const details = { ...DETAILS.ach, account_holder_name: name };
      expect(await put('/payout-method', { method: 'ach', details })).toMatchObject({
        status: 200,
        body: { details: { account_holder_name: name }, processing_time: '2 to 3 business days' },
      });
    },
  );

  it.each(['张伟', 'José 张', '', '   ', 'ß'.repeat(36), 'A\u0000'])('refuses the name %j', async (name) => {
    const details = { ...DETAILS.ach, account_holder_name: name };
    const reply = await put('/payout-method', { method: 'ach', details });
    expect([reply.status, places(reply)]).toEqual([422, ['details.account_holder_name']]);
  });

  it('that cannot be paid here is refused, with the reason', async () => {
    const details = { address: '0x52908400098527886E0F7030069857D2E4169EE7', network: 'base' };
    const reply = await put('/payout-method', { method: 'usdc', details });
    expect([reply.status, places(reply)]).toEqual([422, ['method']]);
    expect(JSON.stringify(reply.body)).toContain('does not pay by usdc. Choose one of ach, swift, upi');
  });

  it('is refused to buyers', async () => {
    for (const path of ['/payout-method', '/tax-form', '/payouts', '/earnings'])
      expect((await get(path, buyer)).status).toBe(403);
  });
});

it('takes a tax form, and shows it masked', async () => {
  expect((await get('/tax-form')).status).toBe(404);
  const form = { kind: 'w8ben', legal_name: 'Ada Lovelace', country: 'GB', tax_id: 'QQ123456C' };
  expect((await put('/tax-form', form)).body).toMatchObject({ kind: 'w8ben', status: 'submitted' });
  const { body } = await get('/tax-form');
  expect(body).toMatchObject({ details: { tax_id: '•••• 456C', country: 'GB' }, reviewed_at: null });
  const signed = { address: '12 St James Square, London', signed_by: 'Ada Lovelace' };
  const whole = await put('/tax-form', { ...form, ...signed });
  expect(whole.body).toMatchObject({ details: { address: '•••• ndon', signed_by: 'Ada Lovelace' } });
  const wrong = await put('/tax-form', { ...form, kind: 'w7', country: 'gb', tax_id: '<b>' });
  expect([wrong.status, places(wrong)]).toEqual([422, ['country', 'kind', 'tax_id']]);
});

it('lists earnings by the day on which they mature, page by page', async () => {
  await earnIn(1, [10, 20]);
  await earnIn(2, [30]);
  await earnIn(3, [40]);
  type Day = { matures_on: string; credits: number; earnings: number; disputed_credits: number };
  const first = (await get<Page<Day>>('/earnings?limit=2')).body;
  expect(first.items.map(({ credits, earnings }) => [credits, earnings])).toEqual([
    [29.1, 2],
    [29.1, 1],
  ]);
  const second = (await get<Page<Day>>(`/earnings?limit=2&cursor=${first.next_cursor}`)).body;
  expect(second.items.map(({ credits, disputed_credits }) => [credits, disputed_credits])).toEqual([
    [38.8, 0],
  ]);
  expect([first.total, second.total, second.next_cursor]).toEqual([3, 3, null]);
  expect((await get('/earnings?cursor=x')).status).toBe(422);
});

describe('a payout', () => {
  it('that waits shows the reason, and reserves nothing', async () => {
    await earnIn(1, [10]);
    const payoutId = await reserve();
    const { items, total } = (await get<Page<Record<string, unknown>>>('/payouts')).body;
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      payout_id: payoutId,
      status: 'rolled_over',
      reason: 'no_payout_method',
      credits: 9.7,
      method: null,
      amount_minor: null,
      currency: null,
    });
    expect(await balance(market.owner, developer.userId, 'payable')).toBe(970);
  });

  it('that failed can be retried until a later payout has taken its amount along', async () => {
    const operator = await register(market, 'developer');
    await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
    await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    await earnIn(-1, [1_200]);
    const failed = await reserve();
    const back = { reason: 'The account is closed.' };
    expect(
      (await request(market, operator, 'POST', `/v1/operator/payouts/${failed}/return`, back)).status,
    ).toBe(200);
    const list = async () => {
      const path = `/v1/operator/payouts?developer_user_id=${developer.userId}`;
      const { body } = await request<Page<{ status: string; retriable: boolean }>>(
        market,
        operator,
        'GET',
        path,
      );
      return body.items.map(({ status, retriable }) => [status, retriable]);
    };
    expect(await list()).toEqual([['failed', true]]);
    await reserve('2035-01-08');
    expect(await list()).toEqual([
      ['pending', false],
      ['failed', false],
    ]);
  });

  it('has a statement that sums to it, as JSON, CSV and PDF', async () => {
    await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    const calls = await earnIn(1, [700, 400, 3]);
    const payoutId = await reserve();
    const { body } = await get<{
      status: string;
      credits: number;
      amount_minor: number;
      remainder_credits: number;
      statement: { lines: { invocation_id?: string; credits: number }[]; total_lines: number };
    }>(`/payouts/${payoutId}`);
    expect(body).toMatchObject({
      status: 'pending',
      credits: 1069,
      amount_minor: 1069,
      remainder_credits: 0.91,
    });
    expect(body).toMatchObject({ processing_time: '2 to 3 business days' });
    const { lines } = body.statement;
    expect(lines.flatMap(({ invocation_id }) => invocation_id ?? []).sort()).toEqual([...calls].sort());
    const sum = lines.reduce((total, { credits }) => total + Math.round(credits * 100), 0);
    expect(sum).toBe(106_900);
    const file = async (ending: string) =>
      fetch(`${market.url}${BASE}/payouts/${payoutId}/statement.${ending}`, {
        headers: { cookie: developer.cookie },
      });
    const csv = await file('csv');
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    const rows = (await csv.text()).trim().split('\n');
    expect(rows).toHaveLength(lines.length + 2);
    expect(rows.at(-1)).toMatch(/,2 to 3 business days$/);
    const pdf = await file('pdf');
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect(await textOfPdf(new Uint8Array(await pdf.arrayBuffer()))).toContain('2 to 3 business days');
  });

  it('lists the lines of its statement page by page, each once', async () => {
    await put('/payout-method', { method: 'ach', details: DETAILS.ach });
    await earnIn(1, [700, 400, 3, 5, 7]);
    const payoutId = await reserve();
    const path = `/payouts/${payoutId}/lines`;
    interface Line {
      invocation_id?: string;
      type: string;
      credits: number;
    }
    const whole = await get<{ statement: { lines: Line[] } }>(`/payouts/${payoutId}`);
    const { lines } = whole.body.statement;
    expect(lines).toHaveLength(6);
    for (const limit of [1, 2, 3, 5, 6, 7]) {
      const paged: Line[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { status: number; body: Page<Line> } = await get(
          `${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`,
        );
        expect([page.status, page.body.total]).toEqual([200, 6]);
        paged.push(...page.body.items);
        cursor = page.body.next_cursor;
      }
      expect(paged).toEqual(lines);
    }

    const cursorOf = async (query: string) =>
      (await get<Page<Line>>(`${path}?${query}`)).body.next_cursor ?? '';
    const forged = (place: string) => {
      const mine = Buffer.from(cursor, 'base64url').toString();
      const changed = mine.replace(/(?:inv|carry)_[0-9a-f]+/, place);
      return Buffer.from(changed).toString('base64url');
    };
    const cursor = await cursorOf('limit=2');
    const nothing = { status: 200, body: { items: [], next_cursor: null } };
    expect(await get(`${path}?cursor=${forged(newId('inv'))}`)).toMatchObject(nothing);
    expect(await get(`${path}?cursor=${forged('carry_999999')}`)).toMatchObject(nothing);
    expect((await get(`${path}?cursor=${forged('carry_1e9')}`)).status).toBe(422);
    const another = await register(market, 'developer');
    expect((await get(path, another)).status).toBe(404);
    expect((await get(path.replace('pay_', 'pay_0'))).status).toBe(404);
    const other = `/payouts/pay_${'0'.repeat(32)}/lines?cursor=${cursor}`;
    expect([(await get(other)).status, (await get(`/payouts?cursor=${cursor}`)).status]).toEqual([422, 422]);
  });
});
