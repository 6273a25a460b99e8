import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import { asAction, type OperatorCommand } from '../services/accounts/operator-actions';
import type { OperatorActionName } from '../domain/accounts/operator-actions';
import type { Db } from '../stores/db';
import { recordOperatorAction } from '../stores/accounts/operator-actions';

/** Option of commands that change the database: the reason, kept in the audit log. */
export const REASON = ['--reason <text>', 'reason, kept in the audit log'] as const;

/** The user and host that run this command (`user@host`), and the reason given with `--reason`. */
export function commandOf(command: Command): OperatorCommand {
  const { reason } = command.opts<{ reason?: string }>();
  const said = reason?.trim();
  return { runBy: `${nameOfUser()}@${hostname()}`.slice(0, 200), reason: said ? said : 'none given' };
}

/** Appends an audit log entry before a command starts, for actions that span more than one transaction. */
export async function logCommand(
  db: Db,
  command: Command,
  action: { action: OperatorActionName; subject: string; details?: Record<string, unknown> },
): Promise<void> {
  await recordOperatorAction(db, { ...asAction(commandOf(command)), ...action });
}

/** In a container the user may have a number but no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
