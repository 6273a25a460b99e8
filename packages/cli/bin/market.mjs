#!/usr/bin/env node
import { existsSync } from 'node:fs';

/** The command of the package; in a clone, the whole command of the clone, which has the verbs of the database too. */
const clone = new URL('../../../tools/market.mjs', import.meta.url);
const isClone = existsSync(new URL('../../../src/cli/market.ts', import.meta.url)) && existsSync(clone);
await import(isClone ? clone.href : '../dist/package.js');
