import { withSecretFiles } from '../config-secrets';
import { describeMigrated, migrate } from './postgres/migrate';

/**
 * `npm run migrate`: migrates the database of MIGRATE_DATABASE_URL (connection of the owner role) to the newest schema.
 */
async function main(): Promise<void> {
  const { MIGRATE_DATABASE_URL: url } = withSecretFiles(process.env);
  if (!url)
    throw new Error(
      'MIGRATE_DATABASE_URL is missing: set it to the connection of the role that owns the tables',
    );
  const migrated = await migrate(url);
  for (const name of migrated.migrations) process.stdout.write(`${name}\n`);
  process.stdout.write(`schema: ${describeMigrated(migrated)}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
