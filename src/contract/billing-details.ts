import { Type, type TLiteral } from '@sinclair/typebox';
import { TAX_TREATMENTS } from '../domain/billing/tax';
import { Email } from './account-fields';
import { named, Nullable, strictObject, text } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;

const CountryCode = text({ maxLength: 2, pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });

const TopUpTax = named(
  'TopUpTax',
  strictObject(
    {
      country: Type.String({ description: 'Whose tax it is, ISO 3166-1 alpha-2' }),
      treatment: Type.Union(
        TAX_TREATMENTS.map((one) => Type.Literal(one)) as unknown as [
          TLiteral<(typeof TAX_TREATMENTS)[number]>,
        ],
        { description: '`reverse_charge`: you owe the tax yourself; `outside`: no tax is charged' },
      ),
      name: Type.String({ examples: ['VAT'] }),
      percent: Type.Number({ description: 'On top of the price of the credits' }),
    },
    { description: 'How your next top-up is taxed; left out while no taxes are set' },
  ),
);

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
      reference: Nullable(
        Type.String({
          description: 'Your own reference on invoices, such as the number of a purchase order',
        }),
      ),
      top_up_tax: Type.Optional(TopUpTax),
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
  permission: 'money',
  method: 'patch',
  path: '/v1/billing/details',
  tag,
  summary: 'Change the billing details on your invoices',
  description:
    'Fields that are left out stay; null removes one. Invoices that follow have the new details, and those that were issued ' +
    'keep theirs. A tax number must have the form and the check digits of its country: for India a GSTIN, in Europe a VAT ' +
    'number. Whether it is registered is not checked.',
  auth: 'session',
  body: strictObject({
    company: Type.Optional(Nullable(text({ maxLength: 120 }))),
    address: Type.Optional(
      Nullable(text({ maxLength: 500, description: 'At most 8 lines, separated by line feeds' })),
    ),
    country: Type.Optional(Nullable(CountryCode)),
    tax_number: Type.Optional(Nullable(text({ maxLength: 40 }))),
    receipts_email: Type.Optional(Nullable(Email)),
    reference: Type.Optional(Nullable(text({ maxLength: 100 }))),
  }),
  responses: { 200: BillingDetails },
  examples: {
    request: {
      company: 'Analytical Engines GmbH',
      address: 'Unter den Linden 1\n10117 Berlin',
      country: 'DE',
      tax_number: 'DE123456788',
    },
  },
});

export const billingDetailsOperations = [getBillingDetails, changeBillingDetails];
