import { linesOfPart, taxOn, taxRuleOf, type TaxSettings, taxTotal, taxWithin } from './tax';

const berlin: TaxSettings = {
  issuer: {
    entity_no: 1,
    name: 'Market GmbH',
    address: 'Weg 1',
    country: 'DE',
    email: 'billing@market.example',
  },
  rates: [
    { country: 'DE', name: 'VAT', basis_points: 1_900, reverse_charge: true },
    { country: 'FR', name: 'VAT', basis_points: 2_000, reverse_charge: true },
    { country: 'CH', name: 'VAT', basis_points: 810, reverse_charge: false },
  ],
};
const pune: TaxSettings = {
  issuer: { ...berlin.issuer, country: 'IN', tax_number: '27AAPFU0939F1ZV' },
  rates: [{ country: 'IN', name: 'GST', basis_points: 1_800, reverse_charge: false }],
};

it.each([
  ['a person in the country of the issuer', { country: 'DE' }, 'taxed', 1_900],
  ['a company there too', { country: 'DE', tax_number: 'DE136695976' }, 'taxed', 1_900],
  ['a person abroad, by the rate there', { country: 'FR' }, 'taxed', 2_000],
  [
    'a company abroad, which owes the tax itself',
    { country: 'FR', tax_number: 'FR40303265045' },
    'reverse_charge',
    0,
  ],
  ['a company in a country without that rule', { country: 'CH', tax_number: 'CHE107787577' }, 'taxed', 810],
  ['a buyer in a country without a rate', { country: 'US', tax_number: '123456789' }, 'outside', 0],
  ['a buyer who has named no country, as at home', {}, 'taxed', 1_900],
] as const)('taxes %s', (_who, buyer, treatment, basisPoints) => {
  expect(taxRuleOf(berlin, buyer)).toMatchObject({ treatment, basis_points: basisPoints });
});

it.each([
  ['of the same state', { country: 'IN', tax_number: '27AAPFU0939F1ZV' }, ['CGST', 'SGST']],
  ['of another state', { country: 'IN', tax_number: '29AAGCB7383J1Z4' }, ['IGST']],
  ['without a GSTIN', { country: 'IN' }, ['CGST', 'SGST']],
])('divides GST for a buyer %s', (_who, buyer, parts) => {
  const terms = taxOn(taxRuleOf(pune, buyer), 10_000);
  expect(terms.lines.map(({ name }) => name)).toEqual(parts);
  expect(taxTotal(terms.lines)).toBe(1_800);
});

it('adds a tax to a price, rounded to the minor unit', () => {
  const rule = taxRuleOf(berlin, { country: 'DE' });
  expect([100, 101, 103, 10_000_000].map((net) => taxTotal(taxOn(rule, net).lines))).toEqual([
    19, 19, 20, 1_900_000,
  ]);
});

it('finds the tax within an amount that was paid, also in parts', () => {
  expect(taxTotal(taxWithin(taxRuleOf(berlin, { country: 'DE' }), 11_900).lines)).toBe(1_900);
  const odd = taxWithin(taxRuleOf(pune, { country: 'IN' }), 104);
  expect(odd.lines.map(({ amount_minor: amount }) => amount)).toEqual([8, 8]);
  expect(taxWithin(taxRuleOf(pune, { country: 'IN' }), 100).lines.map((line) => line.amount_minor)).toEqual([
    8, 7,
  ]);
});

it('divides the tax of a part by the largest remainder', () => {
  const { lines } = taxOn(taxRuleOf(pune, { country: 'IN' }), 10_000);
  expect(linesOfPart(lines, 451).map(({ amount_minor: amount }) => amount)).toEqual([226, 225]);
});
