import { createLoginLinks } from '../../services/accounts/login-links';
import { createPool } from '../../stores/db';

/** The accounts of the demonstration, by user id. */
export type DemoUsers = Record<'buyer' | 'developer' | 'operator', string>;

/** Where a link leads when its account has more to see elsewhere than on the first page of its role. */
const FIRST_PAGES: Record<string, string> = { buyer: '?next=/calls' };

/**
 * Issues one-time addresses of the console that log in as a demonstration account (ADR 0110). The token stands behind
 * `#`, so that neither a server nor its log receives it with the page.
 */
export async function consoleLinks(
  databaseUrl: string,
  consoleUrl: string,
  users: DemoUsers,
): Promise<[string, string][]> {
  const pool = createPool({
    connectionString: databaseUrl,
    max: 1,
    applicationName: 'console links',
    onError: () => undefined,
  });
  try {
    const links = createLoginLinks({ pool, accounts: { find: () => Promise.reject(new Error('not used')) } });
    const addresses: [string, string][] = [];
    for (const [role, userId] of Object.entries(users))
      addresses.push([role, `${consoleUrl}/enter${FIRST_PAGES[role] ?? ''}#${await links.issue(userId)}`]);
    return addresses;
  } finally {
    await pool.end();
  }
}
