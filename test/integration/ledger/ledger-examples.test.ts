/** The scripts of examples/ledger are answered as their captured answers say, and leave a consistent ledger. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withClient } from '../../../src/runtime/postgres/database';
import { expectWhole, startLedger, type TestLedger } from '../../support/ledger/ledger';
import { runScript } from '../../support/ledger/psql-script';

const FOLDER = join(__dirname, '../../../examples/ledger');
const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));

let t: TestLedger;
beforeAll(async () => {
  t = await startLedger(2);
});
afterAll(() => t.stop());

it.each(scripts)('%s', async (name) => {
  const answers = await withClient(t.database.ownerUrl, (client) =>
    runScript(client, readFileSync(join(FOLDER, name), 'utf8')),
  );
  if (process.env['WRITE_EXAMPLES']) writeFileSync(join(FOLDER, `${name}.out`), answers);
  expect(answers).toBe(readFileSync(join(FOLDER, `${name}.out`), 'utf8'));
});

it('leaves a consistent ledger', async () => {
  expect(scripts).toHaveLength(4);
  await expectWhole(t.app);
});
