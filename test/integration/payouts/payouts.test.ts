import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { type FileMethod, PAYOUT_METHODS } from '../../../src/domain/payouts/rails';
import { createLogger } from '../../../src/logger';
import { mondayOf } from '../../../src/domain/payouts/payout';
import { newId } from '../../../src/kit/ids/ids';
import { destinationsOf, OWN_METHOD } from '../../../src/services/payouts/payout-destinations';
import { createPayoutAccounts } from '../../../src/services/payouts/payout-accounts';
import { createOperatorPayouts } from '../../../src/services/payouts/operator-payouts';
import { createPayoutRuns, type PayoutRunsDeps } from '../../../src/services/payouts/payout-runs';
import { textOfPdf, writerHere } from '../../support/documents/pdf';
import { createPayoutViews } from '../../../src/services/payouts/payout-views';
import { reservePayout, settlePayouts } from '../../../src/stores/payouts/payouts';
import { returnReserved } from '../../../src/stores/payouts/payout-transfers';
import { addUser, balancesOf, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { DETAILS, earn, loadRate, MATURE, MONDAY } from '../../support/payouts/payouts';
import { earnAt, putPricedInUsd } from '../../support/usdc/scene';

/** The steps of a Monday on a real ledger: what is reserved, what waits and why, what the files say. */
let t: TestLedger;
let buyer: string;
let developer: string;
const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));
const asOf = MONDAY.toISOString();

const PAYER = {
  companyName: 'Agent Marketplace',
  companyId: '1000000000',
  bankName: 'Our Bank',
  routingNumber: '021000021',
  accountNumber: '000111222',
  bic: 'AAAAUS33',
};

const runs = (more: Partial<PayoutRunsDeps> = {}) =>
  createPayoutRuns({
    pool: t.app,
    cipher,
    logger: createLogger('test', 'silent'),
    payer: PAYER,
    rails: ['ach', 'swift', 'upi'],
    taxFreeUnits: 6_000_000,
    settlesAtOnce: true,
    ...more,
  });
const accounts = () => createPayoutAccounts({ pool: t.app, cipher, rails: PAYOUT_METHODS });
const views = () => createPayoutViews({ pool: t.app, documents: writerHere });
const share = (attempt = 0, monday = asOf) => ({ developerUserId: developer, asOf: monday, attempt });
const only = async () => {
  const { rows } = await views().list({ developerUserId: developer, limit: 1 });
  if (!rows[0]) throw new Error('no payout');
  return rows[0];
};
const csvText = async (payoutId: string) => {
  let text = '';
  for await (const part of await views().csv(developer, payoutId)) text += part;
  return text;
};
const prefer = (method: FileMethod) => accounts().setMethod(developer, method, DETAILS[method]);

beforeAll(async () => {
  t = await startLedger();
  buyer = await addUser(t, 'buyer', 9_000_000);
  await loadRate(t.owner);
});
afterAll(() => t.stop());
beforeEach(async () => {
  developer = await addUser(t, 'developer');
});
afterEach(() => expectWhole(t.app));

it('reserves whole matured lots once, carries the rest of a cent, and settles to zero', async () => {
  await prefer('ach');
  const taken = await earn(t, { buyer, developer }, [1_031, 10]);
  await earn(t, { buyer, developer }, [500], new Date(MONDAY.getTime() + 1));
  const first = await runs().reserve(share());
  expect(first?.status).toBe('pending');
  expect(await runs().reserve(share())).toEqual(first);
  // 1,041 credits less 3% are 100,977 units: 1,009 cents and 77 units.
  expect(await only()).toMatchObject({ amountUnits: 100_900, remainderUnits: 77, amountMinor: 1_009 });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 77 + 48_500 });
  await expectWhole(t.app);
  await runs().writeFile({ method: 'ach', asOf, attempt: 0 });
  await runs().settleFile('ach-20261116-0');
  const { payout, lines } = await views().get(developer, (await only()).payoutId);
  expect(payout.status).toBe('paid');
  expect(lines.map(({ invocationId }) => invocationId).filter(Boolean)).toEqual([...taken].sort());
  expect(lines.reduce((sum, { units }) => sum + units, 0)).toBe(100_900);
  expect((await balancesOf(t.app, null))['payout_clearing']).toBe(0);
  const csv = await csvText(payout.payoutId);
  expect(csv).toMatch(/total,,,pay_\w+,,,,1009,/);
  const pdf = await textOfPdf(await views().pdf(developer, payout.payoutId));
  expect(pdf).toContain('Paid: 1009.00 credits');
});

it.each([
  ['no method', async () => undefined, 2_000, 'no_payout_method'],
  ['less than the minimum', () => prefer('ach'), 1_030, 'below_minimum'],
  ['more than the year allows without a tax form', () => prefer('ach'), 70_000, 'tax_form_required'],
  ['a rail that is closed', () => usdc(), 2_000, 'method_unavailable'],
])('rolls over with a reason: %s', async (_what, prepare, credits, reason) => {
  await prepare();
  await earn(t, { buyer, developer }, [credits]);
  expect((await runs().reserve(share(5)))?.status).toBe('rolled_over');
  const payout = await only();
  expect(payout).toMatchObject({ status: 'rolled_over', reason });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: credits * 97 });
  const statement = await views().get(developer, payout.payoutId);
  expect(statement).toMatchObject({ lines: [], total: 0 });
  expect(await csvText(payout.payoutId)).toMatch(/total,,,pay_\w+,,,,0,/);
  const pdf = await textOfPdf(await views().pdf(developer, payout.payoutId));
  expect(pdf).toContain(`Not paid: ${((credits * 97) / 100).toFixed(2)} credits`);
  expect(pdf).not.toContain('Paid:');
});

describe('the notice of a payout that waits for its developer', () => {
  const next = (weeks: number) => new Date(MONDAY.getTime() + weeks * 7 * 86_400_000).toISOString();
  const waiting = async () => {
    const { rows } = await t.owner.query<{ reason: string; mails: string }>(
      `SELECT n.data ->> 'reason' AS reason, (SELECT count(*) FROM notice_mails m WHERE m.notice_id = n.notice_id) AS mails
         FROM account_notices n WHERE n.user_id = $1 AND n.type = 'payout.waiting' ORDER BY n.notice_id`,
      [developer],
    );
    return rows;
  };

  it('is written and mailed once, however many Mondays the reason stays the same', async () => {
    await earn(t, { buyer, developer }, [2_000]);
    for (const week of [0, 1, 2]) await runs().reserve(share(0, next(week)));
    expect(await waiting()).toEqual([{ reason: 'no_payout_method', mails: '1' }]);
  });

  it('is written again for another reason', async () => {
    await earn(t, { buyer, developer }, [70_000]);
    await runs().reserve(share());
    await prefer('ach');
    await runs().reserve(share(0, next(1)));
    expect(await waiting()).toMatchObject([{ reason: 'no_payout_method' }, { reason: 'tax_form_required' }]);
  });

  it('is not written for what no method would pay, nor for an amount below the minimum', async () => {
    await earn(t, { buyer, developer }, [5]);
    await runs().reserve(share());
    await prefer('ach');
    await runs().reserve(share(0, next(1)));
    expect((await only()).reason).toBe('below_minimum');
    expect(await waiting()).toEqual([]);
  });
});

const usdc = () =>
  accounts().setMethod(developer, 'usdc', {
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    network: 'base',
  });

it('pays above the threshold once an operator has accepted the tax form', async () => {
  await prefer('swift');
  await earn(t, { buyer, developer }, [70_000]);
  await accounts().submitTaxForm(developer, {
    kind: 'w9',
    legalName: 'Ada',
    country: 'US',
    taxId: '123-45-6789',
  });
  expect((await runs().reserve(share()))?.status).toBe('rolled_over');
  await accounts().reviewTaxForm(developer, { status: 'accepted', by: 'usr_1', reason: 'complete' });
  expect((await runs().reserve(share(1)))?.status).toBe('pending');
});

it('exchanges at spot less half a percent, and shows the rate', async () => {
  await prefer('upi');
  await earn(t, { buyer, developer }, [1_000]);
  await runs().reserve(share(7));
  const payout = await only();
  const applied = (84_123_456n * 995n) / 1n;
  // units × rate ÷ 100, with nine decimals of the rate.
  expect(payout.amountMinor).toBe(Number((97_000n * applied) / 100_000_000_000n));
  expect(payout).toMatchObject({ spotRate: '84.123456', rate: '83.702838720', currency: 'INR' });
  expect(payout.amountUnits + payout.remainderUnits).toBe(97_000);
  expect(payout.remainderUnits).toBeLessThan(2);
});

it('gives back a payout that the bank returns, and pays it with the remainder on the next Monday', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [1_041]);
  await runs().reserve(share(2));
  const bank = runs({ settlesAtOnce: false });
  const file = await bank.writeFile({ method: 'ach', asOf, attempt: 2 });
  expect(await bank.settleFile(file?.fileId ?? '')).toBe(0);
  const failed = await only();
  await settlePayouts(t.app, [failed.payoutId], { paid: false, reason: 'R03', at: new Date() });
  expect(await settlePayouts(t.app, [failed.payoutId], { paid: true, at: new Date() })).toBe(0);
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 100_977 });
  await expectWhole(t.app);
  const [late] = await earn(t, { buyer, developer }, [100], MATURE);
  await runs().reserve(share(0, '2026-11-23T00:00:00.000Z'));
  const { lines, payout } = await views().get(developer, (await only()).payoutId);
  expect(payout).toMatchObject({ lotsUnits: 9_700, carriedUnits: 100_977, amountUnits: 110_600 });
  expect(lines.map(({ type, units }) => [type, units])).toEqual([
    ['invocation_earning', 9_700],
    ['payout_remainder', 77],
    ['payout_returned', 100_900],
    ['payout_remainder', -77],
  ]);
  await t.ledger.clawback([late ?? '']);
  expect((await balancesOf(t.app, developer))['payable']).toBe(0);
});

it('writes the same bytes again, and pays what was reserved to the method of that moment', async () => {
  await prefer('upi');
  await earn(t, { buyer, developer }, [1_000]);
  await runs().reserve(share(3));
  await accounts().setMethod(developer, 'upi', { ...DETAILS.upi, vpa: 'other@okbank' });
  const request = { method: 'upi', asOf, attempt: 3 } as const;
  const first = await runs().writeFile(request);
  expect(await runs().writeFile(request)).toEqual(first);
  await runs().settleFile(first?.fileId ?? '');
  expect(await runs().writeFile(request)).toEqual(first);
  const bytes = (await runs().readFile(first?.fileId ?? ''))?.bytes.toString() ?? '';
  expect(bytes).toContain('ada.l@okbank');
  expect(bytes).not.toContain('other@okbank');
  await expect(runs({ payer: { ...PAYER, accountNumber: '999' } }).writeFile(request)).rejects.toThrow(
    /already written with different content/,
  );
});

it('reserves a lot once in concurrent requests', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [600, 600, 600]);
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, attempt) => runs().reserve(share(attempt + 10))),
  );
  expect(made.filter((payout) => payout?.status === 'pending')).toHaveLength(1);
});

it('refuses a Monday in the future, except in development', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [2_000]);
  const strict = runs({ refusesFuture: true });
  const future = new Date(mondayOf(Date.now()) + 7 * 86_400_000).toISOString();
  const told = expect.objectContaining({
    code: 'invalid_state',
    message: expect.stringContaining(future) as string,
  });
  await expect(strict.reserve(share(0, future))).rejects.toEqual(told);
  await expect(strict.begin({ asOf: future, attempt: 0, workflowId: 'w' })).rejects.toEqual(told);
  const odd = '2026-11-17T00:00:00.000Z';
  await expect(runs().begin({ asOf: odd, attempt: 0, workflowId: 'w' })).rejects.toMatchObject({
    code: 'invalid_state',
  });
  expect((await strict.reserve(share(30)))?.status).toBe('pending');
});

it('pays a carry on its own Monday or a later one, and never on an earlier one', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [2_000]);
  await runs().reserve(share(31, '2026-11-23T00:00:00.000Z'));
  const end = { paid: false, reason: 'R03', at: new Date() } as const;
  const returned = (await only()).payoutId;
  await settlePayouts(t.app, [returned], end);
  expect(await runs().reserve(share(32))).toBeNull();
  await earn(t, { buyer, developer }, [1_500]);
  await runs().reserve(share(32));
  const earlier = await only();
  expect(earlier).toMatchObject({ carriedUnits: 0, amountUnits: 145_500 });
  const move = 'UPDATE payout_carries SET into_payout_id = $1 WHERE payout_id = $2';
  await expect(t.owner.query(move, [earlier.payoutId, returned])).rejects.toThrow(/an earlier Monday/);
  await runs().reserve(share(33, '2026-11-23T00:00:00.000Z'));
  expect(await only()).toMatchObject({ carriedUnits: 194_000 });
});

describe('a share of many lots', () => {
  const next = '2026-11-23T00:00:00.000Z';
  const step = (monday = asOf, attempt = 40) =>
    reservePayout(t.app, {
      destination: OWN_METHOD,
      developerUserId: developer,
      asOf: new Date(monday),
      attempt,
      taxFreeUnits: 6_000_000,
      rails: ['ach', 'swift', 'upi'],
      traceId: newId('usr'),
      chunkLots: 10,
    });
  /** As if the lots had been captured a dispute window before they mature. */
  const ofLongAgo = () =>
    t.owner.query('UPDATE earnings SET late = false WHERE developer_user_id = $1', [developer]);
  const credits = (count: number) => Array.from({ length: count }, () => 100);

  it('is reserved in steps that each keep the ledger whole, is in no file before the last, and is resumed', async () => {
    await prefer('ach');
    await earn(t, { buyer, developer }, credits(17));
    await ofLongAgo();
    await earn(t, { buyer, developer }, credits(8), new Date(MATURE.getTime() + 1));
    const seen: unknown[] = [];
    for (let made = await step(asOf, 45); ; made = await step(asOf, 45)) {
      seen.push([made?.status, made?.lots, made?.amountUnits]);
      await expectWhole(t.app);
      if (made?.status !== 'reserving') break;
      expect(await runs().writeFile({ method: 'ach', asOf, attempt: 45 })).toBeNull();
      // Others read the lots meanwhile.
      expect((await views().maturity(developer, { limit: 9 })).rows[0]?.earnings ?? 0).toBe(25 - made.lots);
    }
    expect(seen).toEqual([
      ['reserving', 18, 174_600],
      ['reserving', 25, 242_500],
      ['pending', 25, 242_500],
    ]);
    expect((await step(asOf, 45))?.status).toBe('pending');
    const { lines, total } = await views().get(developer, (await only()).payoutId);
    expect([lines.length, total]).toEqual([25, 25]);
    const csv = await csvText((await only()).payoutId);
    expect(csv.trim().split('\n')).toHaveLength(27);
    expect((await runs().writeFile({ method: 'ach', asOf, attempt: 45 }))?.payouts).toBe(1);
  });

  it('leaves disputed lots, which a later Monday takes', async () => {
    await prefer('ach');
    const lots = await earn(t, { buyer, developer }, credits(30));
    await ofLongAgo();
    const disputed = [lots[3], lots[20]];
    const mark = (open: boolean) =>
      t.owner.query('UPDATE earnings SET dispute_open = $2 WHERE invocation_id = ANY ($1)', [disputed, open]);
    await mark(true);
    while ((await step())?.status === 'reserving');
    expect(await only()).toMatchObject({ status: 'pending', lots: 28 });
    await mark(false);
    await earn(t, { buyer, developer }, credits(9), new Date(MONDAY.getTime() + 1));
    while ((await step(next))?.status === 'reserving');
    expect(await only()).toMatchObject({ status: 'pending', lots: 11 });
  });

  it('that rolls over keeps its lots; one that fails in a later step carries them on', async () => {
    await earn(t, { buyer, developer }, credits(25));
    await ofLongAgo();
    expect(await step()).toMatchObject({
      status: 'rolled_over',
      reason: 'no_payout_method',
      lots: 0,
      amountUnits: 242_500,
    });
    await prefer('ach');
    expect((await step(asOf, 41))?.status).toBe('reserving');
    await t.owner.query('UPDATE payout_methods SET returned_at = now() WHERE developer_user_id = $1', [
      developer,
    ]);
    const failed = await step(asOf, 41);
    expect(failed).toMatchObject({ status: 'failed', reason: 'method_returned', lots: 20 });
    expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 242_500 });
    await prefer('ach');
    while ((await step(asOf, 42))?.status === 'reserving');
    expect(await only()).toMatchObject({ lots: 5, carriedUnits: 194_000, amountUnits: 242_500 });
  });

  it('can be given back while it is being reserved', async () => {
    await prefer('ach');
    await earn(t, { buyer, developer }, credits(25));
    await ofLongAgo();
    const made = await step();
    expect(await returnReserved(t.app, [made?.payoutId ?? ''], 'by hand')).toBe(1);
    expect(await step()).toMatchObject({ status: 'failed', reason: 'by hand' });
    const [lot] = await earn(t, { buyer, developer }, [100]);
    await t.ledger.clawback([lot ?? '']);
  });

  it('adds nothing to the table of lots and its indexes', async () => {
    await prefer('ach');
    await earn(t, { buyer, developer }, credits(600));
    await ofLongAgo();
    await t.owner.query('VACUUM FULL earnings');
    const sizes = async () =>
      (
        await t.owner.query<Record<string, string>>(
          'SELECT pg_table_size($1::regclass), pg_indexes_size($1::regclass)',
          ['earnings'],
        )
      ).rows;
    const before = await sizes();
    while ((await runs().reserve(share(43)))?.status === 'reserving');
    expect(await only()).toMatchObject({ status: 'pending', lots: 600 });
    expect(await sizes()).toEqual(before);
  });
});

it('reverses a paid payout when the bank returns it late, and waits for a new method', async () => {
  await prefer('ach');
  await earn(t, { buyer, developer }, [2_000]);
  await runs().reserve(share(50));
  await runs().writeFile({ method: 'ach', asOf, attempt: 50 });
  await runs().settleFile('ach-20261116-50');
  const { payoutId } = await only();
  const operator = createOperatorPayouts({ pool: t.app });
  const request = {
    operatorUserId: await addUser(t, 'buyer'),
    reason: 'R02 account closed',
    traceId: null,
  };
  const settled = await operator.settle(payoutId, false, request);
  expect(settled).toMatchObject({ status: 'returned', reason: 'R02 account closed' });
  expect(await balancesOf(t.app, developer)).toMatchObject({ payable: 194_000 });
  await expectWhole(t.app);
  await expect(operator.settle(payoutId, false, request)).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(operator.settle(payoutId, true, request)).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(operator.giveBack(payoutId, request)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringContaining('Report what the bank did with it by settle.'),
  });
  await runs().reserve(share(51));
  const waiting = await only();
  expect(waiting).toMatchObject({ status: 'rolled_over', reason: 'method_returned' });
  await expect(operator.settle(waiting.payoutId, true, request)).rejects.toMatchObject({
    code: 'invalid_state',
    message: expect.stringContaining('in no file for a bank'),
  });
  await prefer('ach');
  await runs().reserve(share(52));
  expect(await only()).toMatchObject({ status: 'pending', carriedUnits: 194_000 });
});

it('pays the current week to the earlier address, and the next one to a new address', async () => {
  const [old, changed] = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  ];
  const agentId = await putPricedInUsd(t.owner, developer, old);
  const liveAt = (version: string, at: string) =>
    t.owner.query('UPDATE agent_versions SET live_at = $3 WHERE agent_id = $1 AND version = $2', [
      agentId,
      version,
      at,
    ]);
  const addressOf = async (monday: string) =>
    (await destinationsOf(t.app, developer, new Date(`${monday}T00:00:00Z`))).map(({ payTo }) => payTo);
  // The first address of an agent is as new as any other: its earnings wait, and go to no other destination.
  await liveAt('1.0.0', '2026-10-07T00:00:00Z');
  expect(await destinationsOf(t.app, developer, new Date('2026-10-12T00:00:00Z'))).toEqual([
    { payTo: '', agents: [agentId], addresses: [] },
  ]);
  const same = `slug, major, patch, state, manifest_sha256, public_part, endpoint_url, display_name, description, category,
    tags, pricing_model, price_units, timeout_ms, max_payload_bytes, retention_days, streaming, idempotent, a2a_invocable`;
  await t.owner.query(
    `INSERT INTO agent_versions (agent_id, version_id, version, minor, manifest, ${same})
     SELECT agent_id, 'agv_' || repeat('e', 32), '1.1.0', 1, replace(manifest, $2, $3), ${same} FROM agent_versions WHERE agent_id = $1`,
    [agentId, old, changed],
  );
  await liveAt('1.1.0', '2026-10-14T09:00:00.000001Z');
  await t.owner.query(
    `UPDATE agents SET serving_version_id = 'agv_' || repeat('e', 32) WHERE agent_id = $1`,
    [agentId],
  );
  expect(await addressOf('2026-10-12')).toEqual(['']);
  expect(await addressOf('2026-10-19')).toEqual(['', old]);
  expect(await addressOf('2026-10-26')).toEqual(['', changed]);
  // A new agent with an address that is in use does not wait.
  const second = await putPricedInUsd(t.owner, developer, changed.toLowerCase());
  await t.owner.query('UPDATE agent_versions SET live_at = $2 WHERE agent_id = $1', [
    second,
    '2026-10-21T00:00:00Z',
  ]);
  expect((await destinationsOf(t.app, developer, new Date('2026-10-26T00:00:00Z')))[1]).toEqual({
    payTo: changed,
    agents: [agentId, second],
    addresses: [changed],
  });
});

it('keeps the earnings of a new agent for its address until the address is a week old', async () => {
  const payTo = '0x52908400098527886E0F7030069857D2E4169EE7';
  const agentId = await putPricedInUsd(t.owner, developer, payTo);
  await t.owner.query('UPDATE agent_versions SET live_at = $2 WHERE agent_id = $1', [
    agentId,
    new Date(MONDAY.getTime() - 3 * 86_400_000),
  ]);
  await prefer('ach');
  await earnAt(t, { buyer, developer, agentId }, 2_000);
  const steps = runs({ rails: ['ach', 'usdc'] });
  expect(await steps.reserve(share())).toBeNull();
  expect(await balancesOf(t.owner, developer)).toMatchObject({ payable: 194_000 });
  const nextMonday = new Date(MONDAY.getTime() + 7 * 86_400_000).toISOString();
  expect(await steps.reserve(share(0, nextMonday))).toMatchObject({ status: 'pending' });
  expect(await only()).toMatchObject({ method: 'usdc', payTo });
});
