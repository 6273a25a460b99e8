/** What buyers and developers read of their money: lines, invoices, earnings. */
import {
  startBilling,
  type BillingReply,
  type Caller,
  type TestBilling,
} from '../../support/billing/billing';

let billing: TestBilling;
let register: TestBilling['register'];
let call: TestBilling['call'];
let topUp: TestBilling['topUp'];

beforeAll(async () => {
  billing = await startBilling();
  ({ register, call, topUp } = billing);
});
afterAll(() => billing.stop());

describe('ledger', () => {
  it('lists every credit and debit, newest first, each with its running balance', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const charged = await billing.invocation(buyer, developer, 10, 4);
    const failed = await billing.invocation(buyer, developer, 20, 'failed');
    const { body } = await call(buyer, 'GET', '/v1/billing/ledger');
    expect(
      body.items.map((item) => [
        item.entry_type,
        item.credits,
        item.balance_after_credits,
        item.invocation_id,
        item.description,
      ]),
    ).toEqual([
      ['refund', 20, 96, failed, 'Returned in full, the call failed: agt_csv_profiler_v1'],
      ['invocation_hold', -20, 76, failed, 'Held in escrow: agt_csv_profiler_v1'],
      ['invocation_charge', -4, 96, charged, 'Charge: agt_csv_profiler_v1'],
      ['invocation_release', 10, 100, charged, 'Hold released: agt_csv_profiler_v1'],
      ['invocation_hold', -10, 90, charged, 'Held in escrow: agt_csv_profiler_v1'],
      ['topup', 100, 100, undefined, 'Top-up of INR 100.00'],
    ]);
    expect(body).toMatchObject({ total: 6, next_cursor: null });
    const sum = body.items.reduce((total, item) => total + item.credits, 0);
    expect(sum).toBe((await call(buyer, 'GET', '/v1/billing/balance')).body.available_credits);
  });

  it('pages without losing or repeating a line while new ones arrive', async () => {
    const buyer = await register('buyer');
    for (let n = 1; n <= 7; n += 1) await topUp(buyer, n * 100);
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: BillingReply = await call(
        buyer,
        'GET',
        `/v1/billing/ledger?limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      );
      seen.push(...page.body.items.map((item) => item.credits));
      cursor = page.body.next_cursor;
      await topUp(buyer, 5_000);
    } while (cursor);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  it('filters by type and time', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    await billing.invocation(buyer, developer, 5, 5);
    const charges = await call(buyer, 'GET', '/v1/billing/ledger?entry_type=invocation_charge');
    expect(charges.body.items.map((item) => item.credits)).toEqual([-5]);
    expect(charges.body.total).toBe(1);
    const future = await call(buyer, 'GET', '/v1/billing/ledger?since=2099-01-01T00:00:00Z');
    expect(future.body).toEqual({ items: [], next_cursor: null, total: 0 });
    expect((await call(buyer, 'GET', '/v1/billing/ledger?since=2020-01-01T00:00:00Z')).body.total).toBe(4);
    expect((await call(buyer, 'GET', '/v1/billing/ledger?since=2020-01-01')).body.total).toBe(4);
  });

  it('has one line for each charged call in the net view, whose lines add up to the balance', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const charged = await billing.invocation(buyer, developer, 5, 4);
    await billing.invocation(buyer, developer, 3, 'failed');
    const { body } = await call(buyer, 'GET', '/v1/billing/ledger?view=net');
    expect(body).toMatchObject({
      total: 2,
      items: [
        { entry_type: 'invocation_charge', credits: -4, balance_after_credits: 96, invocation_id: charged },
        { entry_type: 'topup', credits: 100 },
      ],
    });
    const all = await call(buyer, 'GET', '/v1/billing/ledger?view=all');
    expect(all.body.total).toBe(6);
    const first = await call(buyer, 'GET', '/v1/billing/ledger?view=net&limit=1');
    const path = `/v1/billing/ledger?limit=1&cursor=${first.body.next_cursor}`;
    expect((await call(buyer, 'GET', `${path}&view=net`)).body.items).toMatchObject([
      { entry_type: 'topup' },
    ]);
    expect((await call(buyer, 'GET', path)).status).toBe(422);
    expect((await call(buyer, 'GET', '/v1/billing/ledger?until=2020-01-01')).body.total).toBe(0);
  });

  it('lists the lines of one call, however many came later, and none for other accounts', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const first = await billing.invocation(buyer, developer, 5, 5);
    await billing.invocation(buyer, developer, 5, 5);
    const path = `/v1/billing/ledger?invocation_id=${first}`;
    const { body } = await call(buyer, 'GET', `${path}&limit=2`);
    expect(body).toMatchObject({ total: 3, items: [{ credits: -5 }, { credits: 5 }] });
    const rest = await call(buyer, 'GET', `${path}&limit=2&cursor=${body.next_cursor}`);
    expect(rest.body).toMatchObject({
      items: [
        { entry_type: 'invocation_hold', credits: -5, balance_after_credits: 95, invocation_id: first },
      ],
      next_cursor: null,
    });
    expect((await call(developer, 'GET', path)).body).toEqual({ items: [], next_cursor: null, total: 0 });
  });

  it.each([
    'invocation_id=inv_x',
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=x',
    'cursor=%00',
    'since=infinity',
    'since=yesterday',
    'since=2016-12-31T23:59:60Z',
    'since=2026-02-30',
    'entry_type=bribe',
    'view=gross',
    'until=tomorrow',
    'user=1',
  ])('refuses ?%s', async (query) => {
    const reply = await call(await register('buyer'), 'GET', `/v1/billing/ledger?${query}`);
    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation_failed']);
  });

  it("does not take another user's cursor, nor one of another list", async () => {
    const [one, two] = [await register('buyer'), await register('buyer')];
    for (const caller of [one, two]) for (let n = 0; n < 2; n += 1) await topUp(caller, 100);
    const { next_cursor: cursor } = (await call(one, 'GET', '/v1/billing/ledger?limit=1')).body;
    expect((await call(two, 'GET', `/v1/billing/ledger?cursor=${cursor}`)).status).toBe(422);
    expect((await call(one, 'GET', `/v1/billing/invoices?cursor=${cursor}`)).status).toBe(422);
    expect((await call(one, 'GET', `/v1/billing/ledger?cursor=${cursor}`)).body.items).toHaveLength(1);
  });

  it('never shows the lines of another account', async () => {
    const [rich, poor] = [await register('buyer'), await register('buyer')];
    await topUp(rich, 5_000);
    expect((await call(poor, 'GET', '/v1/billing/ledger')).body.total).toBe(0);
    expect((await call(poor, 'GET', '/v1/billing/invoices')).body.total).toBe(0);
    expect((await call(poor, 'GET', '/v1/billing/balance')).body.available_credits).toBe(0);
  });
});

describe('invoices', () => {
  it('gives each top-up one, numbered without gaps and marked sandbox', async () => {
    const buyer = await register('buyer');
    await topUp(buyer, 5_000);
    await topUp(buyer, 300, 'USD');
    const { body } = await call(buyer, 'GET', '/v1/billing/invoices?limit=1');
    expect(body).toMatchObject({
      total: 2,
      items: [{ credits: 300, amount_minor: 300, currency: 'USD', status: 'sandbox' }],
    });
    const next = await call(buyer, 'GET', `/v1/billing/invoices?limit=1&cursor=${body.next_cursor}`);
    expect(next.body).toMatchObject({ next_cursor: null, items: [{ credits: 50, currency: 'INR' }] });
    const [newer, older] = [body.items[0]!.number, next.body.items[0]!.number].map((number) => {
      expect(number).toMatch(/^SBX-\d{4}-\d{6}$/);
      return Number(number.slice(-6));
    });
    expect(newer! - older!).toBe(1);
  });
});

describe("the developer's side", () => {
  it('shows earnings of 97%, and what a lost dispute took back', async () => {
    const [buyer, developer] = [await register('buyer'), await register('developer')];
    await topUp(buyer, 10_000);
    const kept = await billing.invocation(buyer, developer, 10, 10);
    const lost = await billing.invocation(buyer, developer, 20, 20);
    await billing.ledger.rollUp();
    await billing.ledger.clawback([lost]);
    const balance = await call(developer, 'GET', '/v1/billing/developer/balance');
    expect(balance.body).toMatchObject({
      available_credits: 0,
      pending_payout_credits: 9.7,
      matured_credits: 9.7,
      bond_credits: 0,
      lifetime_earned_credits: 9.7,
    });
    const { body } = await call(developer, 'GET', '/v1/billing/developer/transactions');
    expect(
      body.items.map((item) => [
        item.entry_type,
        item.credits,
        item.balance_after_credits,
        item.account,
        item.invocation_id,
      ]),
    ).toEqual([
      ['dispute_refund', -19.4, 9.7, 'payable', lost],
      ['invocation_earning', 19.4, 29.1, 'payable', lost],
      ['invocation_earning', 9.7, 9.7, 'payable', kept],
    ]);
    const refund = (await call(buyer, 'GET', '/v1/billing/ledger?limit=1')).body.items[0];
    expect(refund).toMatchObject({ entry_type: 'dispute_refund', credits: 20, invocation_id: lost });
  });

  it.each(['balance', 'transactions'])('keeps buyers out of developer/%s', async (view) => {
    const reply = await call(await register('buyer'), 'GET', `/v1/billing/developer/${view}`);
    expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
  });
});

describe('billing details', () => {
  const DETAILS = {
    company: 'Željka Жуков Ελένη 山田 GmbH',
    address: 'Unter den Linden 1\n10117 Berlin',
    country: 'DE',
    tax_number: 'de 123 456 788',
    receipts_email: 'accounts@example.test',
    reference: 'PO 4711',
  };
  const invoiceOf = async (buyer: Caller) => {
    const { body } = await topUp(buyer, 5_000);
    return `/v1/billing/invoices/${(body as unknown as { invoice_id: string }).invoice_id}.pdf`;
  };

  it('are empty at first, change field by field, and become empty again', async () => {
    const buyer = await register('buyer');
    const none = {
      company: null,
      address: null,
      country: null,
      tax_number: null,
      receipts_email: null,
      reference: null,
    };
    const read = async () => (await call(buyer, 'GET', '/v1/billing/details')).body;
    expect(await read()).toEqual({ ...none, tax_number_name: null });
    const { body } = await call(buyer, 'PATCH', '/v1/billing/details', DETAILS);
    expect(body).toEqual({ ...DETAILS, tax_number: 'DE123456788', tax_number_name: 'VAT number' });
    await call(buyer, 'PATCH', '/v1/billing/details', { company: '  ', receipts_email: null });
    expect(await read()).toMatchObject({ company: null, receipts_email: null, country: 'DE' });
  });

  it.each([
    [{ country: 'IN', tax_number: '27AAPFU0939F1ZX' }, ['tax_number']],
    [{ country: 'DE', tax_number: 'FR40303265045' }, ['tax_number']],
    [{ tax_number: 'DE123456788' }, ['country']],
    [{ country: 'QQ' }, ['country']],
    [{ country: 'de' }, ['country']],
    [{ country: 'DE', tax_number: 'DE123456789' }, ['tax_number']],
    [{ address: 'x\n'.repeat(8) + 'x' }, ['address']],
    [{ reference: 'x'.repeat(101) }, ['reference']],
    [{ receipts_email: 'nowhere' }, ['receipts_email']],
    [{ company: 'x'.repeat(121) }, ['company']],
    [{ vat: 'DE123456788' }, ['vat']],
  ])('refuse %j', async (change, fields) => {
    const { status, body } = await call(await register('buyer'), 'PATCH', '/v1/billing/details', change);
    expect([status, [...new Set(body.detail.map(({ loc }) => loc[1]))]]).toEqual([422, fields]);
  });

  it('stand on the invoices that follow, which keep them', async () => {
    const buyer = await register('buyer');
    const before = await invoiceOf(buyer);
    await call(buyer, 'PATCH', '/v1/billing/details', DETAILS);
    const after = await invoiceOf(buyer);
    await call(buyer, 'PATCH', '/v1/billing/details', { company: 'Another', tax_number: null });
    const text = await billing.pdfText(buyer, after);
    const lines = [
      DETAILS.company,
      '10117 Berlin',
      'Germany',
      'VAT number DE123456788',
      DETAILS.receipts_email,
      DETAILS.reference,
    ];
    expect(lines.filter((line) => !text.includes(line))).toEqual([]);
    expect(text).not.toContain('Another');
    expect(await billing.pdfText(buyer, before)).not.toContain('GmbH');
  });
});
