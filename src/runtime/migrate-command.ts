import { migrate } from './postgres/migrate';

/** `npm run migrate`: brings the database of MIGRATE_DATABASE_URL, the owner's connection, to the newest schema. */
async function main(): Promise<void> {
  const url = process.env['MIGRATE_DATABASE_URL'];
  if (!url) throw new Error('set MIGRATE_DATABASE_URL to the connection of the role that owns the tables');
  const names = await migrate(url);
  process.stdout.write(names.length === 0 ? 'the schema is up to date\n' : `${names.join('\n')}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
