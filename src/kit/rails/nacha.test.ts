import { writeNacha } from './nacha';

const batch = (attempt: number) => ({
  fileId: `ach-20261116-${attempt}`,
  payer: {
    companyName: 'Agent Marketplace',
    companyId: '1000000000',
    routingNumber: '021000021',
    bankName: 'Our Bank',
    accountNumber: '000111222',
    bic: 'AAAAUS33',
  },
  asOf: new Date('2026-11-16T00:00:00.000Z'),
  attempt,
  payees: [
    {
      payoutId: `pay_${'0'.repeat(32)}`,
      amountMinor: 1_001,
      details: { routing_number: '011000015', account_number: '12345678', account_holder_name: 'Ada' },
    },
  ],
});

it('gives the files of a day different identifiers, however often an operator pays again', () => {
  const headers = Array.from({ length: 100 }, (_, attempt) =>
    writeNacha(batch(attempt)).toString('latin1').slice(0, 94),
  );
  // Date, time and modifier.
  const marks = headers.map((header) => header.slice(23, 34));
  expect([marks[0], marks[35], marks[36], marks[99]]).toEqual([
    '2611160000A',
    '26111600009',
    '2611160001A',
    '26111600021',
  ]);
  expect(new Set(marks).size).toBe(100);
});
