import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { memoryPages, validateXML } from 'xmllint-wasm';
import { writePain001 } from './pain001';
import { bankText } from '../../domain/payouts/bank-text';
import { type RailBatch, type RailPayee, totalMinor } from './rail';

/** Our file against the schema that its readers have (test/support/iso20022). */
const XSD = resolve(__dirname, '../../../test/support/iso20022/pain.001.001.09.xsd');
const schema = readFileSync(XSD, 'utf8');

const payer = {
  companyName: 'Agent Marketplace',
  companyId: '1000000000',
  routingNumber: '021000021',
  bankName: 'Our Bank',
  accountNumber: '000111222',
  bic: 'AAAAUS33',
};
const ibanDetails = { bic: 'NWBKGB2L', iban: 'GB29NWBK60161331926819', town: 'London', country: 'GB' };
const otherDetails = { bic: 'CHASUS33XXX', account_number: '123-456-789', town: 'New York', country: 'US' };

const payee = (name: string, at = 0, amountMinor = 5_000, more: Record<string, string> = {}): RailPayee => ({
  payoutId: `pay_${String(at).padStart(32, '0')}`,
  amountMinor,
  details: { account_holder_name: name, ...(at % 2 === 0 ? ibanDetails : otherDetails), ...more },
});
const batch = (payees: readonly RailPayee[], more: Partial<RailBatch> = {}): RailBatch => ({
  fileId: 'swift-20281225-0',
  payer,
  asOf: new Date('2028-12-25T00:00:00.000Z'),
  attempt: 0,
  payees,
  ...more,
});

/** Returns the problems of each document. */
async function problemsOf(...documents: (string | Buffer)[]): Promise<string[][]> {
  const { valid, errors } = await validateXML({
    xml: documents.map((document, at) => ({ fileName: `pain${at}.xml`, contents: document.toString() })),
    schema: [schema],
    maxMemoryPages: memoryPages.GiB,
  });
  if (!valid && errors.length === 0) throw new Error('not valid, and nobody says why');
  return documents.map((_document, at) =>
    errors.filter(({ loc }) => loc?.fileName === `pain${at}.xml`).map(({ message }) => message),
  );
}

const ODD_NAMES = [
  'José Ángel Muñoz & Söhne <GmbH> "Ada" O’Neil',
  'x'.repeat(141),
  `${'é'.repeat(69)} z${'y'.repeat(200)}`,
  '株式会社エージェント',
  'Ольга',
  ']]><Nm>a</Nm>',
  '&amp;&#0;\u0000\u001b[31m',
  '\ud800 lone',
  '👩🏽‍💻 Ada',
  'ﬁrst Ⅷ Łukasz Straße Þór Øre',
  '   ',
  '',
];

it('is valid with unusual names in one file', async () => {
  const xml = writePain001(batch(ODD_NAMES.map((name, at) => payee(name, at))));
  expect(await problemsOf(xml)).toEqual([[]]);
  const names = [...xml.toString().matchAll(/<Cdtr><Nm>([^<]*)<\/Nm>/g)].map(([, name]) => name);
  expect(names.slice(0, 2)).toEqual(['Jose Angel Munoz + Sohne GmbH Ada O&#39;Neil', 'x'.repeat(70)]);
  expect(names[3]).toBe('NOT PROVIDED');
  expect(names[9]).toBe('first VIII Lukasz Strasse Thor Ore');
});

it.each([
  ['one payment', [payee('Ada')]],
  ['the smallest amount', [payee('Ada', 1, 1)]],
  ['the largest amount', [payee('Ada', 1, Number.MAX_SAFE_INTEGER)]],
  ['2,000 payments', Array.from({ length: 2_000 }, (_, at) => payee(`Ada ${at}`, at, 5_000 + at))],
  ['a town that cannot be written', [payee('Ada', 0, 5_000, { town: '東京' })]],
])('is valid with %s, and its sum is exact', async (_what, payees) => {
  const xml = writePain001(batch(payees)).toString();
  expect(await problemsOf(xml)).toEqual([[]]);
  const amounts = [...xml.matchAll(/<InstdAmt Ccy="USD">([0-9]+)\.([0-9]{2})</g)].map(([, whole, cents]) =>
    BigInt(`${whole}${cents}`),
  );
  const sum = amounts.reduce((total, amount) => total + amount, 0n);
  expect(sum).toBe(BigInt(totalMinor(payees)));
  expect(xml.match(/<CtrlSum>([^<]*)</)?.[1]?.replace('.', '')).toBe(String(sum).padStart(3, '0'));
});

it('is valid on unusual days, and with any name of the payer', async () => {
  const days = ['2028-02-29', '2026-12-31', '2027-01-04', '2026-03-29', '2026-10-26'];
  const files = days.map((day) => {
    const asOf = new Date(`${day}T00:00:00.000Z`);
    return batch([payee('Ada')], { asOf, attempt: 35, payer: { ...payer, companyName: '市場 <&>' } });
  });
  expect(await problemsOf(...files.map(writePain001))).toEqual(days.map(() => []));
});

/** Any characters at all, always the same: a name of up to 120 code points. */
function nameOf(seed: number): string {
  const numbers = createHash('shake256', { outputLength: 480 }).update(`name ${seed}`).digest();
  const points = Array.from({ length: seed % 121 }, (_, at) => numbers.readUInt32BE(at * 4));
  // every other one of those that people use
  return String.fromCodePoint(...points.map((point, at) => point % (at % 2 === 0 ? 0x11_0000 : 0x600)));
}

it('is valid with any names of payees', async () => {
  const names = Array.from({ length: 200 }, (_, at) => nameOf(at));
  expect(await problemsOf(writePain001(batch(names.map((name, at) => payee(name, at)))))).toEqual([[]]);
  const texts = names.map((name) => bankText(name, 70));
  expect(
    texts.filter((text) => !/^[A-Za-z0-9 .,'/()+?:-]{0,70}$/.test(text) || text !== text.trim()),
  ).toEqual([]);
});

it('is found invalid when an element is wrong', async () => {
  const xml = writePain001(batch([payee('Ada')])).toString();
  const wrong = [
    xml.replace('<ChrgBr>SHAR</ChrgBr>', ''),
    xml.replace('<BICFI>AAAAUS33</BICFI>', '<BICFI>AAAAUS3</BICFI>'),
    xml.replace('<Nm>Ada</Nm>', '<Nm></Nm>'),
    xml.replace('<NbOfTxs>1</NbOfTxs>', '<NbOfTxs>one</NbOfTxs>'),
    xml.replace('Ccy="USD"', 'Ccy="usd"'),
  ];
  const [left, ...problems] = await problemsOf(...wrong);
  expect(left).toEqual([]); // ChrgBr may be left out
  for (const found of problems) expect(found).not.toEqual([]);
});
