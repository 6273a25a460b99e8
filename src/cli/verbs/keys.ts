import type { Command } from 'commander';
import { createCipher } from '../../kit/crypto/cipher';
import { createKeyRotation, type KeyUse, type RotationReport } from '../../services/operations/key-rotation';
import type { Db } from '../../stores/db';
import { verb } from '../command-line';
import { withDatabase } from '../database';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { logCommand, REASON } from '../operator-log';

/** `market keys …`: the master keys that encrypt credentials, signing secrets and stored answers. */
export function keyVerbs(program: Command): void {
  const keys = program.command('keys').description('Manages the master keys that encrypt stored values');

  keys
    .command('status')
    .description('counts the stored values that each master key encrypts')
    .addHelpText('after', '\nExamples:\n  market keys status\n  market keys status --json')
    .action(
      verb(() =>
        withRotation('keys status', async ({ newest, status }) => {
          const places = await status();
          return { text: `${newest} is the encrypting key.\n${describe(places)}`, json: { newest, places } };
        }),
      ),
    );

  keys
    .command('rotate')
    .description('re-encrypts all values with the last key of MASTER_KEYS, while the service runs')
    .option(...REASON)
    .addHelpText(
      'after',
      `
First, configure the new key in every process of the service (docs/operations.md, "Keys").
Safe to interrupt and repeat. Exit 1: some values are still encrypted with another key.

Examples:
  market keys rotate
  MASTER_KEYS="main:1=…,main:2=…" DATABASE_URL=postgres://… market keys rotate --json`,
    )
    .action(
      verb((_options: unknown, command: Command) =>
        withRotation('keys rotate', async ({ newest, rotate }, db) => {
          await logCommand(db, command, { action: 'master_key.rotate', subject: newest });
          const report = await rotate();
          const isDone = report.failed.length === 0 && report.remaining.length === 0;
          return { text: toText(report), json: report, exitCode: isDone ? 0 : 1 };
        }),
      ),
    );
}

function withRotation<T>(
  name: string,
  work: (rotation: ReturnType<typeof createKeyRotation>, db: Db) => Promise<T>,
): Promise<T> {
  const cipher = createCipher(masterKeys(), minimumKeyVersion());
  return withDatabase(name, (db) => work(createKeyRotation({ db, cipher }), db));
}

function toText({ newest, rewrapped, failed, remaining }: RotationReport): string {
  return [
    ...rewrapped.map(({ place, values }) => `${place}: ${values} re-encrypted with ${newest}`),
    ...failed.map(({ place, id, reason }) => `FAILED ${place} ${id}: ${reason}`),
    remaining.length === 0 ? `${newest} encrypts every value.` : `Remaining:\n${describe(remaining)}`,
  ].join('\n');
}

function describe(places: readonly KeyUse[]): string {
  return places
    .map(({ place, keys }) => {
      const counts = Object.entries(keys).map(([key, values]) => `${values} by ${key}`);
      return `  ${place}: ${counts.join(', ') || 'none'}`;
    })
    .join('\n');
}
