import { Type } from '@sinclair/typebox';
import { Email } from './account-fields';
import { named, Nullable, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Operators';
const operators = { auth: 'session', roles: ['operator'] } as const;
const CountryCode = text({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });

const Reason = text({
  minLength: 1,
  maxLength: 4_000,
  pattern: '\\S',
  description: 'Recorded in the audit log',
});

const Issuer = {
  name: text({ minLength: 1, maxLength: 120 }),
  address: text({
    minLength: 1,
    maxLength: 500,
    description: 'Lines of the postal address, separated by line feeds',
  }),
  country: CountryCode,
  tax_number: Nullable(
    text({ maxLength: 40, description: 'VAT number, GSTIN or another number of the country' }),
  ),
  registration_number: Nullable(
    text({ maxLength: 60, description: 'Of the company, in the register of its country' }),
  ),
  email: Email,
};
const WishedIssuer = {
  ...Issuer,
  tax_number: Type.Optional(Issuer.tax_number),
  registration_number: Type.Optional(Issuer.registration_number),
};
const Rate = strictObject({
  country: CountryCode,
  name: text({ minLength: 1, maxLength: 20, description: 'What invoices call it, such as `VAT` or `GST`' }),
  percent: Type.Number({ minimum: 0, maximum: 100, description: 'With at most two decimals' }),
  reverse_charge: Type.Boolean({
    description:
      'Buyers in this country with a tax number of it owe the tax themselves, unless the issuer is there too',
  }),
});
const Rates = Type.Array(Rate, { maxItems: 250, description: 'By the country of the buyer; none: no tax' });

export const TaxSettings = named(
  'TaxSettings',
  strictObject({
    settings_id: Type.String({ examples: ['txs_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    issuer: strictObject({
      ...Issuer,
      entity_no: Type.Integer({
        description:
          'Counts the legal entities of the operator. Each has series of numbers of its own: `INV-2026`, `INV2-2026`',
      }),
    }),
    rates: Rates,
    set_at: Timestamp,
  }),
);

const issuer = {
  name: 'Market GmbH',
  address: 'Friedrichstraße 10\n10117 Berlin',
  country: 'DE',
  tax_number: 'DE136695976',
  registration_number: 'HRB 12345 B',
  email: 'billing@market.example',
};
const rates = [
  { country: 'DE', name: 'VAT', percent: 19, reverse_charge: false },
  { country: 'FR', name: 'VAT', percent: 20, reverse_charge: true },
];
const example = {
  settings_id: 'txs_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b',
  issuer: { ...issuer, entity_no: 1 },
  rates,
  set_at: '2026-11-02T00:00:00.000Z',
};

export const getTaxSettings = defineOperation({
  id: 'getTaxSettings',
  method: 'get',
  path: '/v1/operator/tax-settings',
  tag,
  summary: 'Get the issuer of invoices and the tax rates',
  description:
    '404 before an operator has set any: invoices then have the lines of INVOICE_ISSUER and no tax.',
  ...operators,
  responses: { 200: TaxSettings },
  errors: ['not_found'],
  examples: { response: example },
});

export const putTaxSettings = defineOperation({
  id: 'putTaxSettings',
  method: 'put',
  path: '/v1/operator/tax-settings',
  tag,
  summary: 'Set the issuer of invoices and the tax rates',
  description:
    'For top-ups that are opened from now on; what was opened before keeps its terms. A tax comes on top of the price of the ' +
    'credits. Buyers are taxed by the rate of their country; without a country, as in the country of the issuer; in a country ' +
    'without a rate, not at all. An issuer with another tax number, or without one another name, begins series of numbers of ' +
    'its own.',
  ...operators,
  body: strictObject({ issuer: strictObject(WishedIssuer), rates: Rates, reason: Reason }),
  responses: { 200: TaxSettings },
  examples: { request: { issuer, rates, reason: 'Registered for VAT.' }, response: example },
});

export const taxSettingsOperations = [getTaxSettings, putTaxSettings];
