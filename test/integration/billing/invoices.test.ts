/** Invoices with tax, credit notes of refunds, electronic invoices, and statements by month. */
import { taxedAmount } from '../../../src/services/billing/taxes';
import { textOfPdf } from '../../support/documents/pdf';
import {
  disputeEvent,
  paidEvent,
  RAZORPAY,
  refundEvent,
  signRazorpay,
  startRazorpay,
  type RazorpayServer,
} from '../../support/billing/razorpay';
import { request } from '../../support/catalogue/publishing';
import {
  balance,
  expectWholeLedger,
  register,
  startMarket,
  type TestMarket,
  type TestUser,
} from '../../support/market';

let market: TestMarket;
let provider: RazorpayServer;
let operator: TestUser;

const issuer = {
  name: 'Market GmbH',
  address: 'Friedrichstraße 10\n10117 Berlin',
  country: 'DE',
  tax_number: 'DE136695976',
  email: 'billing@market.example',
};
const rates = [
  { country: 'DE', name: 'VAT', percent: 19, reverse_charge: true },
  { country: 'FR', name: 'VAT', percent: 20, reverse_charge: true },
];

beforeAll(async () => {
  provider = await startRazorpay('127.77.0.15');
  const env = {
    PAYMENT_PROVIDER: 'razorpay',
    RAZORPAY_API_URL: provider.url,
    RAZORPAY_KEY_ID: RAZORPAY.keyId,
    RAZORPAY_KEY_SECRET: RAZORPAY.keySecret,
    RAZORPAY_WEBHOOK_SECRETS: RAZORPAY.webhookSecret,
  };
  market = await startMarket({ operations: false, env });
  operator = await register(market, 'buyer');
  await market.owner.query(`UPDATE users SET role = 'operator' WHERE user_id = $1`, [operator.userId]);
});
afterEach(() => expectWholeLedger(market));
afterAll(async () => {
  await market.stop();
  await provider.stop();
});

type Body = Record<string, unknown>;
const call = async (user: TestUser, method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object) =>
  (await request<Body>(market, user, method, path, body)) as { status: number; body: Body };
const itemsOf = async (user: TestUser, path: string) =>
  (await call(user, 'GET', path)).body['items'] as Record<string, string & number>[];
const setTaxes = (change: object = {}) =>
  call(operator, 'PUT', '/v1/operator/tax-settings', { issuer, rates, reason: 'as registered', ...change });
const details = (user: TestUser, change: object) => call(user, 'PATCH', '/v1/billing/details', change);

async function report(body: string): Promise<void> {
  const response = await fetch(`${market.url}/v1/payments/razorpay/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-razorpay-signature': signRazorpay(body) },
    body,
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

let payments = 0;
/** Opens a top-up; what the API answered, and the link at the provider. */
async function open(buyer: TestUser, amountPaise: number, currency = 'INR') {
  const { status, body } = await call(buyer, 'POST', '/v1/billing/topup', { amountPaise, currency });
  const link = provider.links.find(({ reference_id: id }) => id === body['topup_id']);
  if (!link) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { body, link, paymentId: `pay_paper${(payments += 1)}` };
}
async function pay(buyer: TestUser, amountPaise: number) {
  const opened = await open(buyer, amountPaise);
  await report(paidEvent(opened.link, { paymentId: opened.paymentId }));
  return opened;
}
async function file(user: TestUser, path: string) {
  const response = await fetch(market.url + path, { headers: { cookie: user.cookie } });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

describe('before taxes are set', () => {
  it('a top-up and its invoice have the fields that they had', async () => {
    const buyer = await register(market, 'buyer');
    const { body } = await pay(buyer, 10_000);
    expect(body).not.toHaveProperty('tax_minor');
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    expect(Object.keys(invoice ?? {}).sort()).toEqual(
      ['invoice_id', 'number', 'credits', 'amount_minor', 'currency', 'status', 'issued_at'].sort(),
    );
    const xml = await call(buyer, 'GET', `/v1/billing/invoices/${invoice?.['invoice_id']}.xml`);
    expect([xml.status, (xml.body['error'] as Body)['code']]).toEqual([409, 'invalid_state']);
    expect((await call(buyer, 'GET', '/v1/billing/details')).body).not.toHaveProperty('top_up_tax');
    expect((await call(operator, 'GET', '/v1/operator/tax-settings')).status).toBe(404);
  });
});

describe('the settings', () => {
  it('are set by operators alone, with a reason, and name what is wrong', async () => {
    const buyer = await register(market, 'buyer');
    expect(
      (await call(buyer, 'PUT', '/v1/operator/tax-settings', { issuer, rates, reason: 'x' })).status,
    ).toBe(403);
    expect((await setTaxes({ reason: ' ' })).status).toBe(422);
    const wrong = await setTaxes({
      issuer: { ...issuer, tax_number: 'DE123456789' },
      rates: [...rates, rates[0]],
    });
    expect(wrong.status).toBe(422);
    expect((wrong.body['detail'] as { loc: unknown[] }[]).map(({ loc }) => loc.slice(1))).toEqual([
      ['issuer', 'tax_number'],
      ['rates', 2, 'country'],
    ]);
    const { tax_number: _none, ...without } = issuer;
    expect((await setTaxes({ issuer: without })).body['detail']).toMatchObject([
      { loc: ['body', 'issuer', 'tax_number'] },
    ]);
    const set = await setTaxes();
    expect([set.status, set.body]).toMatchObject([200, { issuer: { ...issuer, entity_no: 1 }, rates }]);
    expect((await call(operator, 'GET', '/v1/operator/tax-settings')).body).toEqual(set.body);
    const log = await itemsOf(operator, '/v1/operator/actions?action=tax.change');
    expect(log).toMatchObject([{ subject: set.body['settings_id'], reason: 'as registered' }]);
  });
});

describe('with taxes', () => {
  beforeAll(() => setTaxes());

  it('a person pays the tax of the country on top, and gets the same credits', async () => {
    const buyer = await register(market, 'buyer');
    await details(buyer, { country: 'FR', reference: 'PO 4711' });
    expect((await call(buyer, 'GET', '/v1/billing/details')).body['top_up_tax']).toEqual({
      country: 'FR',
      treatment: 'taxed',
      name: 'VAT',
      percent: 20,
    });
    const { body, link } = await pay(buyer, 10_000);
    expect(body).toMatchObject({ credits: 100, amount_minor: 12_000, tax_minor: 2_000 });
    expect(link.amount).toBe(12_000);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(10_000);
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    expect(invoice).toMatchObject({ credits: 100, amount_minor: 12_000, tax_minor: 2_000, electronic: true });
    const pdf = await file(buyer, `/v1/billing/invoices/${invoice?.['invoice_id']}.pdf`);
    const text = await textOfPdf(pdf.bytes);
    expect(text).toMatch(/100 marketplace credits \(top-up\)\s+INR 100\.00/);
    expect(text).toMatch(/VAT 20%\s+INR 20\.00/);
    expect(text).toMatch(/Total\s+INR 120\.00/);
    for (const part of ['Market GmbH', 'Germany', 'VAT number DE136695976', 'PO 4711'])
      expect(text).toContain(part);
    expect(pdf.bytes.toString('latin1')).toContain('factur-x.xml');
  });

  it('a company abroad with a VAT number owes the tax itself', async () => {
    const buyer = await register(market, 'buyer');
    const changed = await details(buyer, {
      company: 'Œuvres SARL',
      country: 'FR',
      tax_number: 'FR 40 303 265 045',
    });
    expect(changed.body).toMatchObject({
      tax_number: 'FR40303265045',
      top_up_tax: { treatment: 'reverse_charge', percent: 0 },
    });
    expect((await pay(buyer, 10_000)).body).toMatchObject({ amount_minor: 10_000, tax_minor: 0 });
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    const xml = await file(buyer, `/v1/billing/invoices/${invoice?.['invoice_id']}.xml`);
    expect([xml.status, xml.type]).toEqual([200, 'application/xml']);
    const text = xml.bytes.toString('utf8');
    for (const part of ['<cbc:ID>AE</cbc:ID>', 'VATEX-EU-AE', 'FR40303265045', 'Œuvres SARL', 'DE136695976'])
      expect(text).toContain(part);
  });

  it('refuses a VAT number whose check digits do not fit, and leaves what is stored alone', async () => {
    const buyer = await register(market, 'buyer');
    const refused = await details(buyer, { country: 'FR', tax_number: 'FR40303265046' });
    expect([refused.status, refused.body['detail']]).toMatchObject([422, [{ loc: ['body', 'tax_number'] }]]);
    await market.owner.query(
      `INSERT INTO billing_details (user_id, country, tax_number) VALUES ($1, 'DE', 'DE123456789')`,
      [buyer.userId],
    );
    expect((await details(buyer, { company: 'Old GmbH' })).status).toBe(200);
  });

  it('an invoice keeps the issuer, the buyer and the rate of the day on which the top-up was opened', async () => {
    const buyer = await register(market, 'buyer');
    await details(buyer, { company: 'Before GmbH', country: 'DE' });
    const { link, paymentId } = await open(buyer, 10_000);
    await details(buyer, { company: 'After GmbH', country: 'FR' });
    await setTaxes({ issuer: { ...issuer, name: 'Market SE' }, rates: [{ ...rates[0], percent: 7 }] });
    await report(paidEvent(link, { paymentId }));
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    expect(invoice).toMatchObject({
      amount_minor: 11_900,
      tax_minor: 1_900,
      number: expect.stringMatching(/^INV-/),
    });
    const text = await textOfPdf(
      (await file(buyer, `/v1/billing/invoices/${invoice?.['invoice_id']}.pdf`)).bytes,
    );
    expect(text).toContain('Before GmbH');
    expect(text).toContain('VAT 19%');
    expect(text).not.toMatch(/After|Market SE/);
    await setTaxes();
  });

  it('a replayed request is the same top-up, also when the rate has changed between', async () => {
    const buyer = await register(market, 'buyer');
    await details(buyer, { country: 'DE' });
    const ask = () =>
      fetch(`${market.url}/v1/billing/topup`, {
        method: 'POST',
        headers: { cookie: buyer.cookie, 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ amountPaise: 10_000, currency: 'INR' }),
      });
    const first = (await (await ask()).json()) as Body;
    await setTaxes({ rates: [] });
    const again = await ask();
    await setTaxes();
    expect([again.status, ((await again.json()) as Body)['amount_minor']]).toEqual([
      201,
      first['amount_minor'],
    ]);
  });

  it('another legal entity has numbers of its own, and the first goes on where it was', async () => {
    const buyer = await register(market, 'buyer');
    await pay(buyer, 1_000);
    await setTaxes({
      issuer: { ...issuer, name: 'Market Ltd', country: 'IN', tax_number: '27AAPFU0939F1ZV' },
    });
    await pay(buyer, 1_000);
    await setTaxes();
    await pay(buyer, 1_000);
    const numbers = (await itemsOf(buyer, '/v1/billing/invoices')).map(({ number }) => String(number));
    const [last = '', second, first = ''] = numbers;
    expect(second).toMatch(/^INV2-\d{4}-000001$/);
    expect(Number(last.slice(-6))).toBe(Number(first.slice(-6)) + 1);
  });

  it('what an operator credits of a quarantined payment has its tax within', async () => {
    const buyer = await register(market, 'buyer');
    await details(buyer, { country: 'DE' });
    const { link, paymentId } = await open(buyer, 10_000);
    await report(paidEvent(link, { paymentId, amount: 5_950 }));
    const path = `/v1/operator/payments/${paymentId}/resolve`;
    const resolved = await call(operator, 'POST', path, { decision: 'credit', reason: 'paid half' });
    expect(resolved.status).toBe(200);
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(5_000);
    expect(await itemsOf(buyer, '/v1/billing/invoices')).toMatchObject([
      { amount_minor: 5_950, tax_minor: 950, credits: 50 },
    ]);
  });
});

describe('a refund', () => {
  it('in parts has a credit note each, which add up to the invoice, its tax and its credits', async () => {
    const buyer = await register(market, 'buyer');
    await details(buyer, { country: 'DE' });
    const { paymentId } = await pay(buyer, 10_001);
    for (const amount of [3_333, 3_333, 5_235]) await report(refundEvent({ paymentId, amount }));
    const notes = await itemsOf(buyer, '/v1/billing/invoice-notes');
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    expect(invoice).toMatchObject({ amount_minor: 11_901, tax_minor: 1_900, credited_minor: 11_901 });
    const sum = (field: string) =>
      notes.reduce((total, note) => total + Math.round(Number(note[field]) * 100), 0) / 100;
    expect([notes.length, sum('amount_minor'), sum('tax_minor'), sum('credits')]).toEqual([
      3, 11_901, 1_900, 100.01,
    ]);
    expect(notes).toMatchObject(
      [3, 2, 1].map((no) => ({
        kind: 'credit',
        number: expect.stringMatching(new RegExp(`^CRN-\\d{4}-00000${no}$`)),
        invoice_number: invoice?.['number'],
        reason: 'refund',
      })),
    );
    expect(await balance(market.owner, buyer.userId, 'wallet')).toBe(0);
    const text = await textOfPdf(
      (await file(buyer, `/v1/billing/invoice-notes/${notes[0]?.['note_id']}.pdf`)).bytes,
    );
    expect(text).toContain('Credit note CRN-');
    expect(text).toContain(String(invoice?.['number']));
    const xml = (await file(buyer, `/v1/billing/invoice-notes/${notes[0]?.['note_id']}.xml`)).bytes.toString(
      'utf8',
    );
    expect(xml).toContain('<CreditNote ');
    expect(xml).toContain(`<cbc:ID>${invoice?.['number']}</cbc:ID>`);
    const other = await register(market, 'buyer');
    expect((await file(other, `/v1/billing/invoice-notes/${notes[0]?.['note_id']}.pdf`)).status).toBe(404);
    const found = await itemsOf(operator, `/v1/operator/lookup?q=${notes[0]?.['number']}`);
    expect(found).toMatchObject([{ id: buyer.userId }]);
  });

  it('of more than was paid is credited up to the invoice, and reported twice has one note', async () => {
    const buyer = await register(market, 'buyer');
    const { paymentId } = await pay(buyer, 10_000);
    const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
    const event = refundEvent({ paymentId, amount: 99_999 });
    await Promise.all([report(event), report(event), report(`${event} `)]);
    expect(await itemsOf(buyer, '/v1/billing/invoice-notes')).toMatchObject([
      { amount_minor: invoice?.['amount_minor'], credits: 100 },
    ]);
  });

  it('before its payment has a note when the payment is there', async () => {
    const buyer = await register(market, 'buyer');
    const { link, paymentId } = await open(buyer, 10_000);
    await report(refundEvent({ paymentId, amount: link.amount }));
    expect(await itemsOf(buyer, '/v1/billing/invoice-notes')).toEqual([]);
    await report(paidEvent(link, { paymentId }));
    expect(await itemsOf(buyer, '/v1/billing/invoice-notes')).toMatchObject([
      { kind: 'credit', credits: 100 },
    ]);
  });
});

it('a chargeback has a credit note, and a debit note when it is won after all', async () => {
  const buyer = await register(market, 'buyer');
  await details(buyer, { country: 'DE' });
  const { link, paymentId } = await pay(buyer, 10_000);
  const dispute = { paymentId, id: 'disp_paper', amount: link.amount };
  await report(disputeEvent('created', dispute));
  expect(await itemsOf(buyer, '/v1/billing/invoice-notes')).toEqual([]);
  await report(disputeEvent('lost', dispute));
  await report(disputeEvent('won', dispute));
  const notes = await itemsOf(buyer, '/v1/billing/invoice-notes');
  expect(notes).toMatchObject([
    {
      kind: 'debit',
      number: expect.stringMatching(/^DBN-/),
      amount_minor: 11_900,
      tax_minor: 1_900,
      reason: 'dispute',
    },
    {
      kind: 'credit',
      number: expect.stringMatching(/^CRN-/),
      amount_minor: 11_900,
      tax_minor: 1_900,
      credits: 100,
    },
  ]);
  expect(await itemsOf(buyer, '/v1/billing/invoices')).toMatchObject([{ amount_minor: 11_900 }]);
});

const HOSTILE = [
  ['a name that would end an element', '</cbc:Name><x>&amp;"\'', 'Straße <b>&\nÐ'],
  ['Chinese and Arabic names', '山田太郎股份有限公司', 'شركة تحليل البيانات\nשלום'],
  ['characters that XML cannot contain', 'a\u0001b\ufffec\u{1f600}', 'line\u0008one'],
  [
    'a very long name and address',
    'W'.repeat(120),
    Array.from({ length: 8 }, () => 'x'.repeat(60)).join('\n'),
  ],
] as const;

it.each(HOSTILE)('writes both files for %s', async (_what, company, address) => {
  const buyer = await register(market, 'buyer');
  expect(
    (await details(buyer, { company, address, country: 'DE', reference: company.slice(0, 100) })).status,
  ).toBe(200);
  await pay(buyer, 1_000);
  const [invoice] = await itemsOf(buyer, '/v1/billing/invoices');
  const path = `/v1/billing/invoices/${invoice?.['invoice_id']}`;
  const [pdf, xml] = [await file(buyer, `${path}.pdf`), await file(buyer, `${path}.xml`)];
  expect([pdf.status, xml.status]).toEqual([200, 200]);
  expect(await textOfPdf(pdf.bytes)).toContain(String(invoice?.['number']));
  const text = xml.bytes.toString('utf8');
  // eslint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0008\ufffe]|<x>/);
});

describe('the statement of a month', () => {
  const month = new Date().toISOString().slice(0, 7);

  it('equals the ledger: what was there, what moved, what is there', async () => {
    const buyer = await register(market, 'buyer');
    const { paymentId, link } = await pay(buyer, 50_000);
    await report(refundEvent({ paymentId, amount: Math.floor(link.amount / 5) }));
    const { body } = await call(buyer, 'GET', `/v1/billing/statements/${month}`);
    expect(body).toMatchObject({ month, closed: false, opening_credits: 0, closing_credits: 400 });
    expect(body['lines']).toEqual([
      { type: 'topup', description: 'Top-ups', count: 1, credits: 500 },
      { type: 'topup_reversal', description: 'Refunds and chargebacks of top-ups', count: 1, credits: -100 },
    ]);
    expect((body['documents'] as Body[]).map(({ kind }) => kind)).toEqual(['invoice', 'credit']);
    const csv = (await file(buyer, `/v1/billing/statements/${month}/statement.csv`)).bytes.toString('utf8');
    expect(csv.split('\r\n')).toEqual(
      expect.arrayContaining([`${month},opening_balance,,0,,,,,`, `${month},closing_balance,,400,,,,,`]),
    );
    const text = await textOfPdf((await file(buyer, `/v1/billing/statements/${month}/statement.pdf`)).bytes);
    expect(text).toMatch(/Closing balance\s+400\.00/);
  });

  it.each(['2020-01', '2999-12', '2026-13', '2026-1', 'month', '2026-11x'])(
    'is missing for %s',
    async (other) => {
      expect((await call(operator, 'GET', `/v1/billing/statements/${other}`)).status).toBe(404);
    },
  );
});

it('taxes nothing for an amount while no rates are set', async () => {
  await setTaxes({ rates: [] });
  const buyer = await register(market, 'buyer');
  const pool = market.container.pool;
  expect(await taxedAmount(pool, { userId: buyer.userId, netMinor: 500 })).toMatchObject({
    amountMinor: 500,
    taxMinor: 0,
    terms: { tax: { treatment: 'outside' } },
  });
  await setTaxes();
});
