import { PAYOUT_METHODS } from '../../../src/domain/payouts/rails';
import { createCipher, parseMasterKeys } from '../../../src/kit/crypto/cipher';
import { newId } from '../../../src/kit/ids/ids';
import { createPayoutAccounts } from '../../../src/services/payouts/payout-accounts';
import { OWN_METHOD } from '../../../src/services/payouts/payout-destinations';
import { textOfPdf, writerHere } from '../../support/documents/pdf';
import { createPayoutViews } from '../../../src/services/payouts/payout-views';
import { listLotLines, type LotPosition } from '../../../src/stores/payouts/payout-statements';
import { reservePayout } from '../../../src/stores/payouts/payouts';
import { addUser, expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { DETAILS, earn, MATURE, MONDAY } from '../../support/payouts/payouts';
import { longRows } from '../../support/ledger/counts';

/** Statements of payouts whose lots mature within microseconds of each other, as those of real calls do. */
let t: TestLedger;
let buyer: string;
const cipher = createCipher(parseMasterKeys('dev:1=ZGV2ZWxvcG1lbnQtb25seS1tYXN0ZXIta2V5LTMyYnk='));

beforeAll(async () => {
  t = await startLedger();
  buyer = await addUser(t, 'buyer', 9_000_000);
});
afterAll(() => t.stop());
afterEach(() => expectWhole(t.app));

/** Makes a payout of `lots` lots that mature 7 µs after each other, across many days if `apartMicros` says so. */
async function paidOver(lots: number, apartMicros: number) {
  const developer = await addUser(t, 'developer');
  const accounts = createPayoutAccounts({ pool: t.app, cipher, rails: PAYOUT_METHODS });
  await accounts.setMethod(developer, 'ach', DETAILS.ach);
  const credits = Array.from({ length: lots }, (_, index) => Math.ceil(3_001 / lots) + (index % 3));
  const calls = await earn(t, { buyer, developer }, credits);
  // The time of a lot is fixed once it is written: the owner of the tables gives it the microseconds of a clock.
  await t.owner.query(`
    ALTER TABLE earnings DISABLE TRIGGER earnings_guard;
    UPDATE earnings e SET matures_at = '${MATURE.toISOString()}'::timestamptz
        + (n.place * ${apartMicros} + 457) * interval '1 microsecond'
      FROM (SELECT invocation_id, row_number() OVER (ORDER BY invocation_id) AS place FROM earnings
              WHERE developer_user_id = '${developer}') n WHERE n.invocation_id = e.invocation_id;
    ALTER TABLE earnings ENABLE TRIGGER earnings_guard`);
  await t.owner.query('SELECT earning_days_recount()');
  const share = { developerUserId: developer, asOf: MONDAY, attempt: 0, destination: OWN_METHOD };
  const terms = { taxFreeUnits: 60_000_000, rails: PAYOUT_METHODS, traceId: newId('usr'), chunkLots: 2_000 };
  let payout = await reservePayout(t.app, { ...share, ...terms });
  while (payout?.status === 'reserving') payout = await reservePayout(t.app, { ...share, ...terms });
  if (payout?.status !== 'pending') throw new Error(`is ${payout?.status}, ${payout?.reason}`);
  return { developer, calls, payoutId: payout.payoutId };
}

const views = () => createPayoutViews({ pool: t.app, documents: writerHere });
const sorted = (ids: readonly (string | null)[]) => [...ids].sort();

describe.each([
  [1, 7],
  [2, 7],
  [172, 7],
  [172, 2_000_000_333],
  [2_001, 7],
  ...longRows<[number, number]>([5_000, 7], [5_001, 7]),
])('the statement of %s lots, %s µs apart', (lots, apartMicros) => {
  it('has each lot once, in JSON, CSV and PDF, and sums to the payout', async () => {
    const { developer, calls, payoutId } = await paidOver(lots, apartMicros);
    const { payout, lines, total } = await views().get(developer, payoutId);
    const ofCalls = (found: typeof lines) => found.flatMap(({ invocationId }) => invocationId ?? []);
    const carried = payout.remainderUnits > 0 ? 1 : 0;
    expect([total, lines.length]).toEqual([lots + carried, Math.min(lots + carried, 1_000)]);
    expect(new Set(ofCalls(lines)).size).toBe(Math.min(lots, 1_000));
    if (lots < 1_000) expect(lines.reduce((sum, { units }) => sum + units, 0)).toBe(payout.amountUnits);

    const paged: typeof lines = [];
    let after: LotPosition | undefined;
    do {
      const page = await listLotLines(t.app, payout, { limit: lots > 1_000 ? 997 : 10, after });
      paged.push(...page.lines);
      ({ after } = page);
    } while (after);
    expect(sorted(ofCalls(paged))).toEqual(sorted(calls));
    expect(paged.reduce((sum, { units }) => sum + units, 0)).toBe(payout.lotsUnits);

    let csv = '';
    for await (const part of await views().csv(developer, payoutId)) csv += part;
    const rows = csv.trim().split('\n').slice(1);
    const earnings = rows.filter((row) => row.startsWith('invocation_earning,'));
    expect(sorted(earnings.map((row) => row.split(',')[1] ?? ''))).toEqual(sorted(calls));
    expect(Number(rows.at(-1)?.split(',')[7]) * 100).toBeCloseTo(payout.amountUnits, 5);

    const pdf = await textOfPdf(await views().pdf(developer, payoutId));
    expect(sorted(pdf.match(/inv_[0-9a-f]{32}/g) ?? [])).toEqual(sorted(calls));
    expect(pdf).not.toContain('further lines');
  });
});

it('says in the PDF how many lines a long statement leaves out', async () => {
  const { developer, payoutId } = await paidOver(30, 7);
  const { total } = await views().get(developer, payoutId);
  const short = createPayoutViews({ pool: t.app, documents: writerHere, mostPdfLines: 20 });
  const pdf = await textOfPdf(await short.pdf(developer, payoutId));
  expect(pdf.match(/inv_[0-9a-f]{32}/g)).toHaveLength(20);
  expect(pdf).toContain(`and ${total - 20} further lines: see the CSV`);
});
