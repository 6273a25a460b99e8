import { buildDocs } from './lib/docs.mjs';
import { checkNode } from './lib/prepare.mjs';
import { createTerminal } from '../src/runtime/base/terminal.cjs';

/** `npm run docs`: the documents as static pages in dist/docs, which the API serves at `/docs`. */
checkNode();
const { fail, step } = createTerminal();
await step('docs', () => buildDocs()).catch((error) => fail(error.message));
