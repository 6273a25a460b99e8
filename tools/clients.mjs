import { buildClients } from './lib/clients.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** Makes the generated files of both clients if they are not current. Commands that read them begin with it. */
await buildClients().catch((error) => createTerminal().fail(error.message));
