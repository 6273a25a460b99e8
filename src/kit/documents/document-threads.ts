import { MarketError } from '../../domain/errors';
import { createTenantThreads, type ThreadKind } from '../threads/tenant-threads';
import { asBuffer } from '../threads/thread-jobs';
import { workerFile } from '../threads/worker-file';
import type { PrintedDocument } from './document';

const DOCUMENTS: ThreadKind<PrintedDocument, Uint8Array> = {
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

/** Writes documents as PDF in a thread of low priority, so that they do not block the process. */
export interface DocumentWriter {
  /** `tenant`: whose turn the document uses. Rejects with `not_ready` when it cannot be written now. */
  pdf(tenant: string, document: PrintedDocument): Promise<Buffer>;
  close(): Promise<void>;
}

export function createDocumentWriter(logger: {
  warn(fields: object, message: string): void;
}): DocumentWriter {
  const threads = createTenantThreads({ ...DOCUMENTS, logger });
  return {
    pdf: async (tenant, document) => asBuffer(await threads.ask(tenant, document)),
    close: threads.close,
  };
}

function unavailable(reason: string): Error {
  return new MarketError('not_ready', { cause: new Error(reason) });
}
