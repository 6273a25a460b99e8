import { entityNumber, readSettings, type WishedSettings } from './tax-settings';

const wish: WishedSettings = {
  issuer: {
    name: ' Market GmbH ',
    address: 'Weg 1\r\n\n10117 Berlin ',
    country: 'DE',
    taxNumber: 'de 136 695 976',
    registrationNumber: null,
    email: 'billing@market.example',
  },
  rates: [{ country: 'FR', name: 'VAT', percent: 5.5, reverseCharge: true }],
};
const fits = () => true;

it('reads an issuer and rates in basis points', () => {
  expect(readSettings(wish, fits)).toEqual({
    issuer: {
      name: 'Market GmbH',
      address: 'Weg 1\n10117 Berlin',
      country: 'DE',
      tax_number: 'DE136695976',
      email: 'billing@market.example',
    },
    rates: [{ country: 'FR', name: 'VAT', basis_points: 550, reverse_charge: true }],
    problems: [],
  });
});

it('names what is wrong, by its place', () => {
  const { problems } = readSettings(
    {
      issuer: { ...wish.issuer, name: ' ', country: 'DE', taxNumber: 'FR40303265045' },
      rates: [
        { country: 'XX', name: 'VAT', percent: 20, reverseCharge: false },
        { country: 'FR', name: 'VAT', percent: 20.125, reverseCharge: false },
        { country: 'FR', name: 'VAT', percent: 20, reverseCharge: false },
      ],
    },
    fits,
  );
  expect(problems.map(({ loc }) => loc.slice(1).join('.'))).toEqual([
    'issuer.name',
    'issuer.tax_number',
    'rates.0.country',
    'rates.1.percent',
    'rates.2.country',
  ]);
});

it('counts legal entities by country and tax number, and comes back to an earlier one', () => {
  const first = { entity_no: 1, country: 'DE', tax_number: 'DE136695976', name: 'Market GmbH' };
  const second = { entity_no: 2, country: 'IN', tax_number: '27AAPFU0939F1ZV', name: 'Market Ltd' };
  expect(entityNumber(first, [])).toBe(1);
  expect(entityNumber({ ...first, name: 'Market SE' }, [first])).toBe(1);
  expect(entityNumber(second, [first])).toBe(2);
  expect(entityNumber(first, [first, second])).toBe(1);
  expect(entityNumber({ country: 'DE', name: 'Market GmbH' }, [first, second])).toBe(3);
});
