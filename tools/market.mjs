#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** `npx market …`: the compiled command where it was built, else its source. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const compiled = resolve(root, 'dist/cli/market.js');
if (!existsSync(compiled)) await import('tsx');
const file = existsSync(compiled) ? compiled : resolve(root, 'src/cli/market.ts');
const loaded = await import(pathToFileURL(file).href);
const program = await (loaded.createProgram ?? loaded.default.createProgram)();
await program.parseAsync();
