/** The states of payments by x402: the table of the domain and the trigger that enforces it are the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { X402_TRANSITIONS } from '../../src/domain/x402/payment-state';

it('payments by x402 move in the database as the table of their states says', () => {
  const trigger = readFileSync(
    join(__dirname, '../../migrations/functions/x402/x402_payment_moves.sql'),
    'utf8',
  );
  const permitted = [...trigger.matchAll(/'([a-z]+>[a-z]+)'/g)].map(([, move]) => move);
  const table = Object.entries(X402_TRANSITIONS).flatMap(([from, moves]) =>
    Object.keys(moves).map((to) => `${from}>${to}`),
  );
  expect(permitted.sort()).toEqual(table.sort());
});
