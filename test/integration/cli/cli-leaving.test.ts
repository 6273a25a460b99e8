/** Verbs that export and delete an account. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leavingVerbs } from '../../../src/cli/verbs/leaving';
import { marketProgram } from '../../support/cli/market-program';
import { exportsOf } from '../../support/leaving';
import { eventually, register } from '../../support/market';
import { useMarket } from '../../support/use-market';

const market = useMarket();
let program: ReturnType<typeof marketProgram>;
let folder: string;
beforeAll(() => {
  program = marketProgram(market.url, [leavingVerbs]);
  folder = mkdtempSync(join(tmpdir(), 'cli-leaving-'));
});
afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('exports an account, and saves the archive for its owner only', async () => {
  const person = await register(market, 'buyer');
  const asked = JSON.parse((await program.run(person, 'account', 'export', '--json')).stdout) as {
    export_id: string;
  };
  await eventually(async () => (await exportsOf(market, person))[0]?.status === 'ready', 30_000);
  expect((await program.run(person, 'account', 'exports')).stdout).toContain(asked.export_id);
  const file = join(folder, 'archive.zip');
  const saved = await program.run(person, 'account', 'download', asked.export_id, '--out', file);
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringMatching(/^Saved \d+ bytes to /)]);
  expect(readFileSync(file).subarray(0, 2).toString()).toBe('PK');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // A file that cannot be written is a mistake of the user, without a trace.
  const refused = await program.run(person, 'account', 'download', asked.export_id, '--out', folder);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be written')]);
});

it('shows what blocks the deletion of an account', async () => {
  const person = await register(market, 'buyer', 10);
  const shown = await program.run(person, 'account', 'delete', '--status');
  expect(shown.stdout).toBe(
    'No deletion is requested.\nBlocked: The wallet holds credits. Spend them, ask the operator for a refund, or give them up (forfeit_credits).\n',
  );
});
