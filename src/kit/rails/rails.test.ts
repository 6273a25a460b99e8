import { writeNacha } from './nacha';
import { writePain001 } from './pain001';
import type { RailBatch, RailPayee } from './rail';
import { writeUpiCsv } from './upi-csv';

const details = {
  account_holder_name: 'José "Ada" O’Neil, & Co',
  routing_number: '011000015',
  account_number: '12345678',
  account_type: 'savings',
  iban: 'GB29NWBK60161331926819',
  bic: 'NWBKGB2L',
  town: 'London',
  country: 'GB',
  vpa: 'ada@okbank',
};
const payees = (count: number): RailPayee[] =>
  Array.from({ length: count }, (_, index) => ({
    payoutId: `pay_${String(index).padStart(32, '0')}`,
    amountMinor: 1_001 + index,
    details,
  }));
const batch = (count: number): RailBatch => ({
  fileId: 'ach-20281225-0',
  payer: {
    companyName: 'Agent Marketplace',
    companyId: '1000000000',
    routingNumber: '021000021',
    bankName: 'Our Bank',
    accountNumber: '000111222',
    bic: 'AAAAUS33',
  },
  asOf: new Date('2028-12-25T00:00:00.000Z'),
  attempt: 0,
  payees: payees(count),
});
const totalOf = (count: number) => payees(count).reduce((sum, { amountMinor }) => sum + amountMinor, 0);

describe.each([1, 5, 6, 2_000])('a NACHA file of %i credits', (count) => {
  const lines = writeNacha(batch(count)).toString('latin1').split('\n').slice(0, -1);
  const of = (type: string) => lines.filter((line) => line.startsWith(type) && line !== '9'.repeat(94));
  const field = (line: string | undefined, from: number, to: number) => Number(line?.slice(from - 1, to));

  it('has lines of 94 characters in whole blocks of ten, counted', () => {
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([94]));
    expect(lines.length % 10).toBe(0);
    expect(field(of('9')[0], 8, 13)).toBe(lines.length / 10);
    expect([of('1'), of('5'), of('8'), of('9')].map((found) => found.length)).toEqual([1, 1, 1, 1]);
    expect([field(of('8')[0], 5, 10), field(of('9')[0], 14, 21)]).toEqual([count + 1, count + 1]);
  });

  it('is balanced, and its hashes are right', () => {
    const entries = of('6');
    const sum = (codes: string[]) =>
      entries
        .filter((line) => codes.includes(line.slice(1, 3)))
        .reduce((total, line) => total + field(line, 30, 39), 0);
    const total = totalOf(count);
    expect([sum(['22', '32']), sum(['27'])]).toEqual([total, total]);
    expect([field(of('8')[0], 21, 32), field(of('8')[0], 33, 44)]).toEqual([total, total]);
    expect([field(of('9')[0], 32, 43), field(of('9')[0], 44, 55)]).toEqual([total, total]);
    const hash = entries.reduce((all, line) => all + field(line, 4, 11), 0) % 1e10;
    expect([field(of('8')[0], 11, 20), field(of('9')[0], 22, 31)]).toEqual([hash, hash]);
    const traces = entries.map((line) => line.slice(79));
    expect(traces).toEqual([...traces].sort());
    expect(new Set(traces).size).toBe(count + 1);
  });
});

it.each([
  ['2026-11-16', '261117'],
  // Christmas is that Monday; that Tuesday; and January 1 is the Tuesday of a Monday in the old year.
  ['2028-12-25', '281227'],
  ['2029-12-24', '291226'],
  ['2029-12-31', '300102'],
  ['2044-02-29', '440301'],
])('asks banks to post the file of Monday %s on %s, a banking day', (monday, effective) => {
  const file = writeNacha({ ...batch(1), asOf: new Date(`${monday}T00:00:00.000Z`) });
  const header = file.toString('latin1').split('\n')[1];
  const created = monday.slice(2).replaceAll('-', '');
  expect([header?.slice(63, 69), header?.slice(69, 75)]).toEqual([created, effective]);
});

it('refuses what an entry of NACHA cannot carry', () => {
  const [payee] = payees(1);
  if (!payee) throw new Error('no payee');
  expect(() => writeNacha({ ...batch(1), payees: [{ ...payee, amountMinor: 10_000_000_000 }] })).toThrow(
    RangeError,
  );
});

it('writes pain.001.001.09 with its count and sum, and escapes what people wrote', () => {
  const xml = writePain001(batch(3)).toString();
  expect(xml).toContain('xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"');
  expect(xml.match(/<CdtTrfTxInf>/g)).toHaveLength(3);
  expect(xml.match(/<NbOfTxs>3<\/NbOfTxs><CtrlSum>30.06<\/CtrlSum>/g)).toHaveLength(2);
  expect(xml.match(/<InstdAmt Ccy="USD">[0-9]+\.[0-9]{2}</g)).toHaveLength(3);
  expect(xml).toContain('<Nm>Jose Ada O&#39;Neil, + Co</Nm>');
  expect(xml).toContain('<CreDtTm>2028-12-25T00:00:00</CreDtTm>');
  // Christmas is that Monday.
  expect(xml).toContain('<ReqdExctnDt><Dt>2028-12-26</Dt></ReqdExctnDt>');
  const order = [
    'GrpHdr',
    'PmtInf',
    'PmtMtd',
    'ReqdExctnDt',
    'Dbtr',
    'DbtrAcct',
    'DbtrAgt',
    'ChrgBr',
    'CdtTrfTxInf',
  ];
  const places = order.map((name) => xml.indexOf(`<${name}>`));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places).not.toContain(-1);
});

it('requests no date in the past when a Monday is paid again days later', () => {
  const again = { ...batch(1), reservedAt: new Date('2028-12-29T22:15:00.123Z') };
  expect(writePain001(again).toString()).toContain('<ReqdExctnDt><Dt>2028-12-29</Dt></ReqdExctnDt>');
  expect(writePain001(again).toString()).toContain('<CreDtTm>2028-12-29T00:00:00</CreDtTm>');
  expect(writeNacha(again).toString('latin1').split('\n')[1]?.slice(69, 75)).toBe('290102');
  expect(writeUpiCsv(again).toString()).toContain(',29/12/2028,');
  const onTime = { ...batch(1), reservedAt: new Date('2028-12-24T22:15:00Z') };
  expect(writePain001(onTime)).toEqual(writePain001(batch(1)));
});

it.each([
  ['/Ada/', 'Ada'],
  ['//Ada // and / / Sons/ /', 'Ada / and / Sons'],
  [`${'A'.repeat(69)}/B`, 'A'.repeat(69)],
  ['///', 'NOT PROVIDED'],
])('writes the name %s without the slashes that banks refuse', (name, written) => {
  const [payee] = payees(1);
  const details = { ...payee?.details, account_holder_name: name };
  const xml = writePain001({ ...batch(0), payees: [{ payoutId: 'pay_1', amountMinor: 5, details }] });
  expect(xml.toString()).toContain(`<Cdtr><Nm>${written}</Nm>`);
});

it('writes the CSV of UPI payouts with its total, and each address as it is', () => {
  const [payee] = payees(1);
  const bad = {
    ...batch(0),
    payees: [{ payoutId: 'pay_1', amountMinor: 5, details: { ...payee?.details, vpa: '-ab@upi' } }],
  };
  const [header, line, total] = writeUpiCsv(bad).toString().split('\r\n');
  expect(header?.split(',')).toHaveLength(9);
  expect(line).toContain(`,-ab@upi,0.05,INR,25/12/2028,pay_1,Payout`);
  expect(line).toContain(`"Jose Ada O'Neil, + Co"`);
  expect(total).toBe('TOTAL,,,1,0.05,INR,25/12/2028,ach-20281225-0,');
});

it('makes the same bytes each time', () => {
  for (const write of [writeNacha, writePain001, writeUpiCsv])
    expect(write(batch(7))).toEqual(write(batch(7)));
});
