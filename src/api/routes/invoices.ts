import {
  getInvoiceNotePdf,
  getInvoiceNoteXml,
  getInvoicePdf,
  getInvoiceXml,
  listInvoiceNotes,
  listInvoices,
} from '../../contract/invoices';
import {
  getAccountStatement,
  getAccountStatementCsv,
  getAccountStatementPdf,
} from '../../contract/statements';
import { getTaxSettings, putTaxSettings } from '../../contract/tax-settings';
import { MarketError } from '../../domain/errors';
import type { BillingService } from '../../services/billing/billing';
import type { RouteBinder } from '../binding/route';
import { idPosition, listPage } from '../requests/list-page';
import { operatorRequestOf } from '../requests/operator-request';
import { invoiceNoteView, invoiceView, statementView, taxSettingsView } from '../views/documents/invoices';
import { sendFile } from './payouts';

export interface InvoiceRouteDeps {
  billing: BillingService;
}

const INVOICE_POSITION = idPosition('ivc');
const NOTE_POSITION = idPosition('nte');
const PDF = 'application/pdf';
const XML = 'application/xml';

/** Invoices with their notes, statements of months, and the taxes that operators set (contract, "Billing"). */
export function invoiceRoutes(binder: RouteBinder, { billing }: InvoiceRouteDeps): void {
  binder.bind(listInvoices, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['invoices', userId], position: INVOICE_POSITION, query },
      ([beforeId], limit) => billing.invoices({ userId, beforeId, limit }),
      { position: (invoice) => [invoice.invoiceId], view: invoiceView },
    ),
  );
  binder.bind(listInvoiceNotes, ({ query, principal: { userId } }) =>
    listPage(
      { list: ['invoice-notes', userId], position: NOTE_POSITION, query },
      ([beforeId], limit) => billing.invoiceNotes({ userId, beforeId, limit }),
      { position: (note) => [note.noteId], view: invoiceNoteView },
    ),
  );
  binder.bind(getInvoicePdf, async ({ params, principal, res }) => {
    const { number, file } = await billing.paperPdf(principal.userId, params.invoice_id);
    return sendFile(res, PDF, `${number}.pdf`, file);
  });
  binder.bind(getInvoiceXml, async ({ params, principal, res }) => {
    const { number, file } = await billing.paperXml(principal.userId, params.invoice_id);
    return sendFile(res, XML, `${number}.xml`, file);
  });
  binder.bind(getInvoiceNotePdf, async ({ params, principal, res }) => {
    const { number, file } = await billing.paperPdf(principal.userId, params.note_id);
    return sendFile(res, PDF, `${number}.pdf`, file);
  });
  binder.bind(getInvoiceNoteXml, async ({ params, principal, res }) => {
    const { number, file } = await billing.paperXml(principal.userId, params.note_id);
    return sendFile(res, XML, `${number}.xml`, file);
  });
  statementRoutes(binder, { billing });
  taxRoutes(binder, { billing });
}

function statementRoutes(binder: RouteBinder, { billing }: InvoiceRouteDeps): void {
  binder.bind(getAccountStatement, async ({ params, principal }) =>
    statementView(await billing.statement(principal.userId, params.month)),
  );
  binder.bind(getAccountStatementCsv, async ({ params: { month }, principal, res }) => {
    const text = await billing.statementCsv(principal.userId, month);
    return sendFile(res, 'text/csv; charset=utf-8', `statement-${month}.csv`, Buffer.from(text));
  });
  binder.bind(getAccountStatementPdf, async ({ params: { month }, principal, res }) =>
    sendFile(res, PDF, `statement-${month}.pdf`, await billing.statementPdf(principal.userId, month)),
  );
}

function taxRoutes(binder: RouteBinder, { billing }: InvoiceRouteDeps): void {
  binder.bind(getTaxSettings, async () => {
    const settings = await billing.taxSettings();
    if (!settings) throw new MarketError('not_found', { message: 'No issuer and no taxes are set.' });
    return taxSettingsView(settings);
  });
  binder.bind(putTaxSettings, async (input) => {
    const { issuer, rates } = input.body;
    const wish = {
      issuer: {
        name: issuer.name,
        address: issuer.address,
        country: issuer.country,
        taxNumber: issuer.tax_number ?? null,
        registrationNumber: issuer.registration_number ?? null,
        email: issuer.email,
      },
      rates: rates.map((rate) => ({
        country: rate.country,
        name: rate.name,
        percent: rate.percent,
        reverseCharge: rate.reverse_charge,
      })),
    };
    return taxSettingsView(await billing.changeTaxSettings(wish, operatorRequestOf(input)));
  });
}
