import type { Command } from 'commander';
import { createCipher } from '../../kit/crypto/cipher';
import { createKeyRotation, type KeyUse, type RotationReport } from '../../services/operations/key-rotation';
import type { Db } from '../../stores/db';
import { verb, withDatabase } from '../command-line';
import { masterKeys, minimumKeyVersion } from '../master-keys';
import { noteDeed, REASON } from '../operator-log';

/** `market keys …`: the master keys that encrypt credentials, signing secrets and stored answers. */
export function keyVerbs(program: Command): void {
  const keys = program.command('keys').description('The master keys that encrypt what is stored');

  keys
    .command('status')
    .description('counts the stored values of each master key')
    .addHelpText('after', '\nExamples:\n  market keys status\n  market keys status --json')
    .action(
      verb(() =>
        withRotation('keys status', async ({ newest, status }) => {
          const places = await status();
          return { text: `${newest} encrypts.\n${describe(places)}`, json: { newest, places } };
        }),
      ),
    );

  keys
    .command('rotate')
    .description('encrypts everything anew with the last key of MASTER_KEYS, while the service runs')
    .option(...REASON)
    .addHelpText(
      'after',
      `
Every process of the service must know the newest key before (docs/operations.md, "Keys").
May be interrupted and repeated. Exit 1: values are left that another key encrypts.

Examples:
  market keys rotate
  MASTER_KEYS="main:1=…,main:2=…" DATABASE_URL=postgres://… market keys rotate --json`,
    )
    .action(
      verb((_options: unknown, command: Command) =>
        withRotation('keys rotate', async ({ newest, rotate }, db) => {
          await noteDeed(db, command, { action: 'master_key.rotate', subject: newest });
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
    ...rewrapped.map(({ place, values }) => `${place}: ${values} moved onto ${newest}`),
    ...failed.map(({ place, id, reason }) => `FAILED ${place} ${id}: ${reason}`),
    remaining.length === 0 ? `Everything is encrypted by ${newest}.` : `Left:\n${describe(remaining)}`,
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
