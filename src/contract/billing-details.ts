import { Type } from '@sinclair/typebox';
import { Email } from './account-fields';
import { named, Nullable, strictObject, text } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;

const CountryCode = text({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });

export const BillingDetails = named(
  'BillingDetails',
  strictObject(
    {
      company: Nullable(Type.String()),
      address: Nullable(Type.String({ description: 'Lines of the postal address' })),
      country: Nullable(Type.String({ description: 'ISO 3166-1 alpha-2' })),
      tax_number: Nullable(
        Type.String({ description: 'VAT number, GSTIN or another number of the country' }),
      ),
      tax_number_name: Nullable(
        Type.String({ description: 'What the country calls it: `VAT number`, `GSTIN` or `Tax number`' }),
      ),
      receipts_email: Nullable(
        Type.String({ description: 'The address that invoices name; null: that of the account' }),
      ),
    },
    { description: 'What invoices name the account by, besides its name' },
  ),
);

export const getBillingDetails = defineOperation({
  id: 'getBillingDetails',
  method: 'get',
  path: '/v1/billing/details',
  tag,
  summary: 'Get the billing details on your invoices',
  auth,
  responses: { 200: BillingDetails },
});

export const changeBillingDetails = defineOperation({
  id: 'changeBillingDetails',
  method: 'patch',
  path: '/v1/billing/details',
  tag,
  summary: 'Change the billing details on your invoices',
  description:
    'Fields that are left out stay; null removes one. Invoices that follow have the new details, and those that were issued ' +
    'keep theirs. A tax number must have the form of its country: for India a GSTIN, in Europe a VAT number. Whether it is ' +
    'registered is not checked.',
  auth: 'session',
  body: strictObject({
    company: Type.Optional(Nullable(text({ maxLength: 120 }))),
    address: Type.Optional(
      Nullable(text({ maxLength: 500, description: 'At most 8 lines, separated by line feeds' })),
    ),
    country: Type.Optional(Nullable(CountryCode)),
    tax_number: Type.Optional(Nullable(text({ maxLength: 40 }))),
    receipts_email: Type.Optional(Nullable(Email)),
  }),
  responses: { 200: BillingDetails },
  examples: {
    request: {
      company: 'Analytical Engines GmbH',
      address: 'Unter den Linden 1\n10117 Berlin',
      country: 'DE',
      tax_number: 'DE123456789',
    },
  },
});

export const billingDetailsOperations = [getBillingDetails, changeBillingDetails];
