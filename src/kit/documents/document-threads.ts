import { MarketError } from '../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../threads/tenant-threads';
import { asBuffer } from '../threads/thread-jobs';
import { workerFile } from '../threads/worker-file';
import type { Paper } from '../../domain/billing/paper';
import type { PrintedDocument } from './document';

/** `embedded`: the invoice or note that the PDF also has as Factur-X. */
export type DocumentJob =
  { kind: 'pdf'; document: PrintedDocument; embedded: Paper | null } | { kind: 'ubl'; paper: Paper };

const DOCUMENTS: ThreadKind<DocumentJob, Uint8Array> = {
  name: 'documents',
  script: workerFile(__dirname, 'pdf-worker.js'),
  threads: 1,
  memory: { maxOldGenerationSizeMb: 512 },
  // A statement of 20,000 lines takes 6 s. The rest allows for a loaded machine.
  deadlineMs: 60_000,
  startMs: 20_000,
  turns: { patienceMs: 60_000, late: () => unavailable('too many documents are being written') },
  lost: ({ reason }) => {
    throw unavailable(`the writing of a document was lost: ${reason}`);
  },
};

/**
 * Writes documents in a thread of low priority, so that they do not block the process. `tenant`: whose turn the
 * document uses. Rejects with `not_ready` when it cannot be written now.
 */
export interface DocumentWriter {
  /** With `embedded`, an invoice with an issuer: PDF/A-3 that has it as Factur-X. */
  pdf(tenant: string, document: PrintedDocument, embedded?: Paper): Promise<Buffer>;
  /** An invoice with an issuer as UBL 2.1 of EN 16931. */
  ubl(tenant: string, paper: Paper): Promise<Buffer>;
  close(): Promise<void>;
}

export function createDocumentWriter(logger: {
  warn(fields: object, message: string): void;
}): DocumentWriter {
  const threads = createTenantThreads({ ...DOCUMENTS, logger });
  return {
    pdf: async (tenant, document, embedded) =>
      asBuffer(await threads.ask(tenant, { kind: 'pdf', document, embedded: embedded ?? null })),
    ubl: async (tenant, paper) => asBuffer(await threads.ask(tenant, { kind: 'ubl', paper })),
    close: threads.close,
  };
}

function unavailable(reason: string): Error {
  return new MarketError('not_ready', { cause: new Error(reason) });
}
