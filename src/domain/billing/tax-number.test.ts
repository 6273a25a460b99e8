import { readTaxNumber, taxNumberName } from './tax-number';

/** The forms alone; `src/kit/tax/check-digits.test.ts` has the check digits. */
const fits = () => true;

it.each([
  ['DE', 'DE 123 456 789', 'DE123456789'],
  ['DE', '123456789', 'DE123456789'],
  ['GR', '094259216', 'EL094259216'],
  ['GB', 'xi 123456789', 'XI123456789'],
  ['CH', 'CHE-107.787.577 IVA', 'CHE107787577IVA'],
  ['FR', 'fr40303265045', 'FR40303265045'],
  ['FR', '40303265045', 'FR40303265045'],
  ['FR', 'FR123456789', 'FRFR123456789'],
  ['FR', 'FRFR123456789', 'FRFR123456789'],
  ['CH', 'E107787577', 'CHE107787577'],
  ['ES', 'E12345678', 'ESE12345678'],
  ['ES', 'ESE12345678', 'ESE12345678'],
  ['NL', 'NL123456789B01', 'NL123456789B01'],
  ['ES', 'ESB58378431', 'ESB58378431'],
  ['IN', '27aapfu0939f1zv', '27AAPFU0939F1ZV'],
  ['US', '12-3456789', '123456789'],
  ['AU', '51 824 753 556', '51824753556'],
])('reads a number of %s: %s', (country, entered, value) => {
  expect(readTaxNumber(country, entered, fits)).toEqual({ value });
});

it.each([
  ['DE', 'DE12345678'],
  ['DE', 'FR40303265045'],
  ['DE', '12345678X'],
  ['NL', 'NL123456789'],
  ['FR', 'FR12345678'],
  ['IN', '27AAPFU0939F1ZX'],
  ['IN', '27AAPFU0939F1Z'],
  ['IN', 'DE123456789'],
  ['US', '1'],
  ['US', 'no <b>tax</b>'],
  ['GR', ''],
])('refuses a number that %s does not have: %s', (country, entered) => {
  expect(readTaxNumber(country, entered, fits)).toEqual({ problem: expect.any(String) });
});

it('names the number as its country does', () => {
  expect(['IN', 'DE', 'GB', 'US'].map(taxNumberName)).toEqual([
    'GSTIN',
    'VAT number',
    'VAT number',
    'Tax number',
  ]);
});

it('says that the check digits do not fit, apart from a wrong form', () => {
  expect(readTaxNumber('DE', 'DE123456789', () => false)).toEqual({
    problem: 'is not a VAT number of DE: its check digits do not fit',
  });
});
