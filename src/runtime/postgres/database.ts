import { type Client, type ClientConfig, escapeIdentifier, escapeLiteral } from 'pg';
import { ExactClient } from '../../stores/stored-time';

export const OWNER_ROLE = 'market_owner';
export const APP_ROLE = 'market_app';

export interface RolePasswords {
  owner: string;
  app: string;
}

/**
 * Creates the two roles and sets their passwords. The owner role owns all tables and is used by migrations only. The
 * app role is used by the service and owns nothing. Neither is a superuser.
 */
export async function ensureRoles(superuserUrl: string, passwords: RolePasswords): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    for (const [role, password] of [
      [OWNER_ROLE, passwords.owner],
      [APP_ROLE, passwords.app],
    ] as const) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
      const verb = rowCount ? 'ALTER' : 'CREATE';
      await client.query(
        `${verb} ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${escapeLiteral(password)}`,
      );
    }
  });
}

/**
 * Creates a database of the owner role unless it exists, optionally from `template`. Only the two roles may connect.
 */
export async function ensureDatabase(
  superuserUrl: string,
  database: string,
  template?: string,
): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (rowCount) return;
    const name = escapeIdentifier(database);
    // Copying files takes a fifth of the CPU of writing each page of the template to the log.
    const from = template ? ` TEMPLATE ${escapeIdentifier(template)} STRATEGY FILE_COPY` : '';
    await client.query(`CREATE DATABASE ${name} OWNER ${OWNER_ROLE}${from}`);
    await client.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
    await client.query(`GRANT CONNECT ON DATABASE ${name} TO ${APP_ROLE}`);
  });
}

/** Runs `work` with a connection and closes the connection afterwards. `connectionTimeoutMillis`: default none. */
export async function withClient<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  options: Pick<ClientConfig, 'connectionTimeoutMillis'> = {},
): Promise<T> {
  const client = new ExactClient({ ...options, connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
