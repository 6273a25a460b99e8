/** Invoices of top-ups, with the credit notes of refunds: as lists and as files. */
import { Type } from '@sinclair/typebox';
import { Credits, named, page, pageQuery, strictObject, text, Timestamp } from './common';
import { defineOperation } from './operation';

const tag = 'Billing';
const auth = { scope: 'billing:read' } as const;

const Tax = {
  tax_minor: Type.Optional(
    Type.Integer({
      description: 'The part of amount_minor that is tax; left out on documents from before taxes were set',
    }),
  ),
  electronic: Type.Optional(
    Type.Literal(true, {
      description: 'There is an electronic invoice (EN 16931): as `.xml`, and within the PDF',
    }),
  ),
};

export const Invoice = named(
  'Invoice',
  strictObject({
    invoice_id: Type.String({ examples: ['ivc_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    number: Type.String({ examples: ['SBX-2026-000001'], description: 'Consecutive within its series' }),
    credits: Credits,
    amount_minor: Type.Integer({ description: 'What was paid, in paise for INR and cents for USD' }),
    ...Tax,
    credited_minor: Type.Optional(
      Type.Integer({ description: 'What credit notes took back of it; left out if there is none' }),
    ),
    currency: Type.String(),
    status: Type.Union([Type.Literal('paid'), Type.Literal('sandbox')], {
      description: 'sandbox: issued in sandbox mode; no money was paid',
    }),
    issued_at: Timestamp,
  }),
);

export const InvoiceNote = named(
  'InvoiceNote',
  strictObject({
    note_id: Type.String({ examples: ['nte_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b'] }),
    kind: Type.Union([Type.Literal('credit'), Type.Literal('debit')], {
      description:
        'credit: takes back a part of an invoice, or all of it; debit: restores what a credit note took back',
    }),
    number: Type.String({ examples: ['CRN-2026-000001'], description: 'Consecutive within its series' }),
    invoice_id: Type.String(),
    invoice_number: Type.String(),
    reason: Type.Union([Type.Literal('refund'), Type.Literal('dispute')], {
      description: 'dispute: a chargeback of the bank',
    }),
    credits: Credits,
    amount_minor: Type.Integer(),
    ...Tax,
    currency: Type.String(),
    issued_at: Timestamp,
  }),
);

export const listInvoices = defineOperation({
  id: 'listInvoices',
  method: 'get',
  path: '/v1/billing/invoices',
  tag,
  summary: 'List the invoices of your top-ups, newest first',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(Invoice) },
});

export const listInvoiceNotes = defineOperation({
  id: 'listInvoiceNotes',
  method: 'get',
  path: '/v1/billing/invoice-notes',
  tag,
  summary: 'List the credit and debit notes of your invoices, newest first',
  description:
    'A refund or a chargeback of a top-up has a credit note. A chargeback that the bank reverses later has a debit note.',
  auth,
  query: strictObject(pageQuery),
  responses: { 200: page(InvoiceNote) },
});

const invoiceParams = strictObject({ invoice_id: text({ maxLength: 36, pattern: '^ivc_[0-9a-f]{32}$' }) });
const noteParams = strictObject({ note_id: text({ maxLength: 36, pattern: '^nte_[0-9a-f]{32}$' }) });
const PDF = {
  mediaType: 'application/pdf',
  description: 'The document on A4; PDF/A-3 with Factur-X inside if it is `electronic`',
};
const XML = { mediaType: 'application/xml', description: 'UBL 2.1 of EN 16931' };

export const getInvoicePdf = defineOperation({
  id: 'getInvoicePdf',
  method: 'get',
  path: '/v1/billing/invoices/{invoice_id}.pdf',
  tag,
  summary: 'Get an invoice as PDF',
  auth,
  params: invoiceParams,
  responses: { 200: PDF },
  errors: ['not_found'],
});

export const getInvoiceXml = defineOperation({
  id: 'getInvoiceXml',
  method: 'get',
  path: '/v1/billing/invoices/{invoice_id}.xml',
  tag,
  summary: 'Get an invoice as electronic invoice (UBL)',
  description: '409 for an invoice without `electronic`.',
  auth,
  params: invoiceParams,
  responses: { 200: XML },
  errors: ['not_found', 'invalid_state'],
});

export const getInvoiceNotePdf = defineOperation({
  id: 'getInvoiceNotePdf',
  method: 'get',
  path: '/v1/billing/invoice-notes/{note_id}.pdf',
  tag,
  summary: 'Get a credit or debit note as PDF',
  auth,
  params: noteParams,
  responses: { 200: PDF },
  errors: ['not_found'],
});

export const getInvoiceNoteXml = defineOperation({
  id: 'getInvoiceNoteXml',
  method: 'get',
  path: '/v1/billing/invoice-notes/{note_id}.xml',
  tag,
  summary: 'Get a credit or debit note as electronic invoice (UBL)',
  description: '409 for a note without `electronic`.',
  auth,
  params: noteParams,
  responses: { 200: XML },
  errors: ['not_found', 'invalid_state'],
});

export const invoiceOperations = [
  listInvoices,
  getInvoicePdf,
  getInvoiceXml,
  listInvoiceNotes,
  getInvoiceNotePdf,
  getInvoiceNoteXml,
];
