/** Worker thread that sets documents on pages. */
import { ownMemory, serveJobs } from '../threads/thread-jobs';
import type { PrintedDocument } from './document';
import { writePdf } from './pdf-pages';

async function write(document: PrintedDocument): Promise<Uint8Array> {
  return new Uint8Array(await writePdf(document));
}

serveJobs(write, { moved: ownMemory });
