/** Invoices of top-ups with their credit and debit notes, as lists and as files. */
import type { Paper } from '../../domain/billing/paper';
import { MarketError } from '../../domain/errors';
import type { DocumentWriter } from '../../kit/documents/document-threads';
import { listInvoices, listNotes, readPaper } from '../../stores/billing/invoices';
import { readBilledTo } from '../../stores/billing/tax-settings';
import type { Db } from '../../stores/db';
import { paperDocument } from './invoice-document';

export interface InvoicesDeps {
  pool: Db;
  documents: DocumentWriter;
  /** Name and address of the issuer, one line each, for invoices from before an issuer was set. */
  letterhead: readonly string[];
}

type UserPage = Parameters<typeof listInvoices>[1];

export function createInvoices({ pool, documents, letterhead }: InvoicesDeps) {
  async function paperOf(userId: string, id: string): Promise<Paper> {
    const stored = await readPaper(pool, userId, id);
    if (!stored) throw new MarketError('not_found');
    // Invoices from before the service kept these name the account as it is now.
    return { ...stored, billedTo: stored.billedTo ?? (await readBilledTo(pool, userId)) };
  }

  return {
    invoices: (filter: UserPage) => listInvoices(pool, filter),

    /** The credit notes of refunds and chargebacks, and the debit notes that restore what they took back. */
    invoiceNotes: (filter: UserPage) => listNotes(pool, filter),

    /**
     * An invoice (`ivc_…`) or a note (`nte_…`) as PDF, with its number; as Factur-X if it has an issuer. Throws
     * `not_found`, also for another user's.
     */
    async paperPdf(userId: string, id: string): Promise<{ number: string; file: Buffer }> {
      const paper = await paperOf(userId, id);
      const document = paperDocument(paper, letterhead);
      const embedded = paper.issuer ? paper : undefined;
      return { number: paper.number, file: await documents.pdf(userId, document, embedded) };
    },

    /** The same as UBL 2.1 of EN 16931. Throws `not_found`, and `invalid_state` for one without an issuer. */
    async paperXml(userId: string, id: string): Promise<{ number: string; file: Buffer }> {
      const paper = await paperOf(userId, id);
      if (!paper.issuer) {
        throw new MarketError('invalid_state', {
          message:
            'This document has no electronic form: it was issued before the operator of the marketplace had set who issues invoices. Download the PDF.',
        });
      }
      return { number: paper.number, file: await documents.ubl(userId, paper) };
    },
  };
}
