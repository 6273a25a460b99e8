/** `npm run contract:release`: takes the contract as it is for the one that released clients know (ADR 0134). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { currentContract, RELEASED } from './released';

const file = join(__dirname, '../..', RELEASED);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(currentContract())}\n`);
console.log(RELEASED);
