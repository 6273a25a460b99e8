import { getDocumentProxy, extractText } from 'unpdf';
import type { DocumentWriter } from '../../../src/kit/documents/document-threads';
import { writePdf } from '../../../src/kit/documents/pdf-pages';
import { writeEInvoice } from '../../../src/kit/documents/e-invoice';

/** The text of all pages, as a reader of the file finds it. */
export async function textOfPdf(bytes: Uint8Array): Promise<string> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(pdf, { mergePages: true });
  return text;
}

/** Writes documents in this thread, for tests without the API. */
export const writerHere: DocumentWriter = {
  pdf: (_tenant, document) => writePdf(document),
  ubl: async (_tenant, paper) => Buffer.from(await writeEInvoice(paper, 'UBL')),
  close: () => Promise.resolve(),
};
