import type { DocumentWriter } from '../../kit/documents/document-threads';
import type { Db } from '../../stores/db';
import { createStatements } from './statements';

const NOW = Date.parse('2026-11-20T00:00:00Z');
/** Made in November 2026. */
const USER = `usr_${(NOW - 1_000).toString(16).padStart(12, '0')}${'0'.repeat(20)}`;

it('sums a month at most twice for any number of requests at once, and again for a later one', async () => {
  let sums = 0;
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const query = async (question: string | { name: string }) => {
    if (typeof question === 'string') return { rows: [] };
    sums += 1;
    await gate;
    return { rows: [{ opening: '0', sums: [] }] };
  };
  const statements = createStatements({
    pool: { query } as unknown as Db,
    documents: {} as DocumentWriter,
    letterhead: [],
    now: () => NOW,
  });
  const asked = Array.from({ length: 50 }, () => statements.statement(USER, '2026-11'));
  release();
  await Promise.all(asked);
  expect(sums).toBe(2);
  await statements.statement(USER, '2026-11');
  expect(sums).toBe(3);
});
