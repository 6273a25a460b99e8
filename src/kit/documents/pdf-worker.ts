/** Worker thread that writes documents: sets them on pages, and writes electronic invoices. */
import { ownMemory, serveJobs } from '../threads/thread-jobs';
import type { DocumentJob } from './document-threads';
import { writeEInvoice } from './e-invoice';
import { writePdf } from './pdf-pages';

async function write(job: DocumentJob): Promise<Uint8Array> {
  if (job.kind === 'ubl') return new TextEncoder().encode(await writeEInvoice(job.paper, 'UBL'));
  const { document, embedded } = job;
  const xml = embedded?.issuer ? await writeEInvoice(embedded, 'CII') : null;
  return new Uint8Array(await writePdf(document, xml));
}

serveJobs(write, { moved: ownMemory });
