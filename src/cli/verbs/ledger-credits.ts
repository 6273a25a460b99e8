import type { Command } from 'commander';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Db } from '../../stores/db';
import {
  type AccountState,
  listMovements,
  listUserMovements,
  mayExist,
  type Movement,
  readAccountState,
  readCallState,
} from '../../stores/operations/whereabouts';
import { verb } from '../command-line';
import { withDatabase } from '../database';
import { oneLine, tableText } from '../terminal/terminal-text';

const MOVEMENTS = 10;

/** `market ledger account` and `market ledger trace`: where credits are, and how they came there. */
export function addCredits(ledger: Command): void {
  ledger
    .command('account')
    .description('shows where the credits of a user are, and the last movements')
    .argument('<user>', 'user id or email')
    .addHelpText('after', '\nExample:\n  market ledger account ada@example.org')
    .action(
      verb((user: string) =>
        withDatabase('ledger account', async (db) => {
          const state = await readAccountState(db, user);
          if (!state)
            throw new Error(`there is no user ${oneLine(user)}: give a user id (usr_…) or an email`);
          const movements = await listUserMovements(db, state.userId, MOVEMENTS);
          return { text: accountText(state, movements), json: { ...state, movements } };
        }),
      ),
    );

  ledger
    .command('trace')
    .description('lists every movement of a call, top-up, payout, bond or slash, from account to account')
    .argument('<id>', 'id such as inv_…, top_…, pay_… or txn_…, or a reference')
    .addHelpText('after', '\nExamples:\n  market ledger trace inv_…\n  market ledger trace topup/top_…')
    .action(
      verb((id: string) =>
        withDatabase('ledger trace', async (db) => {
          const movements = await listMovements(db, id);
          if (movements.length === 0 && !(await mayExist(db, id)))
            throw new Error(`there is no such id: ${oneLine(id)}. Copy it whole, as it was printed`);
          const next = await stateText(db, id, movements.length);
          return {
            text: [...movements.map(movementText), next].join('\n'),
            json: { movements, state: next },
          };
        }),
      ),
    );
}

function accountText(state: AccountState, movements: readonly Movement[]): string {
  const balances = state.balances.map(({ kind, units }) => [kind, creditsOf(units)]);
  const holds = state.holds.map(({ invocationId, units, since, leaseUntil }) => [
    invocationId,
    creditsOf(units),
    since.toISOString(),
    leaseUntil.toISOString(),
  ]);
  return [
    `${state.userId} (${state.role})${state.isFrozen ? ': the wallet is frozen' : ''}`,
    tableText([['account', 'credits'], ...balances]),
    ...(holds.length > 0
      ? ['', 'Held in escrow:', tableText([['call', 'credits', 'since', 'lease until'], ...holds])]
      : []),
    '',
    'Last movements:',
    ...movements.map(movementText),
  ].join('\n');
}

function movementText({ at, reference, entries, traceId }: Movement): string {
  const lines = entries.map(({ account, units }) => `    ${creditsOf(units).padStart(12)}  ${account}`);
  return [`${at.toISOString()}  ${reference}${traceId ? `  trace ${traceId}` : ''}`, ...lines].join('\n');
}

/** What the rows say about the object, and what happens next. */
async function stateText(db: Db, id: string, movements: number): Promise<string> {
  const call = id.startsWith('inv_') ? await readCallState(db, id) : undefined;
  if (!call) return movements > 0 ? `${movements} movements.` : `No credits moved under ${oneLine(id)}.`;
  const code = call.error_code ? ` (${call.error_code})` : '';
  const isOpen = call.hold === 'open';
  const next = isOpen
    ? ` The credits are in escrow. The lease sweep refunds them after ${call.lease_until?.toISOString() ?? ''}, unless the call ends before.`
    : '';
  return `The call is ${call.status}${code}; its hold is ${call.hold ?? 'absent: it moved no credits'}.${next}`;
}

const creditsOf = (units: number) => unitsToCredits(units).toFixed(2);
