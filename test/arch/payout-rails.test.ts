/** docs/payouts.md names every rail with the figures of the table in src/domain/payouts/rails.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAYOUT_METHODS, RAILS } from '../../src/domain/payouts/rails';

const rows = readFileSync(join(__dirname, '../../docs/payouts.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim())); // prettier-ignore

it.each(PAYOUT_METHODS)('docs/payouts.md has the figures of %s', (method) => {
  const { currency, minimumCredits, processingTime } = RAILS[method];
  const minimum = `${minimumCredits.toLocaleString('en-US')} credits`;
  expect(rows).toContainEqual([`\`${method}\``, currency, minimum, processingTime]);
});
