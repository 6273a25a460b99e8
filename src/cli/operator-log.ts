import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import { asAction, type OperatorCommand } from '../services/operations/operators';
import type { Db } from '../stores/db';
import { recordOperatorAction } from '../stores/accounts/operator-actions';

/** The option of commands that change the database: why, for the log of operators. */
export const REASON = ['--reason <text>', 'why, for the log of operators'] as const;

/** Who runs this command, on which host, and why. */
export function commandOf(command: Command): OperatorCommand {
  const { reason } = command.opts<{ reason?: string }>();
  const said = reason?.trim();
  return { runBy: `${nameOfUser()}@${hostname()}`.slice(0, 200), reason: said ? said : 'none given' };
}

/** Writes down what a command is about to do, where the deed is more than one transaction. */
export async function noteDeed(
  db: Db,
  command: Command,
  deed: { action: string; subject: string; details?: Record<string, unknown> },
): Promise<void> {
  await recordOperatorAction(db, { ...asAction(commandOf(command)), ...deed });
}

/** Users of containers may have a number only. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
