/** Runs pages on the stack of `npm start`, in one shell: what the README sets is there for the next page. */
import { resolve } from 'node:path';
import { withClient } from '../../../src/runtime/postgres/database';
import { cloneFolder, runPage, startShell } from './documents';
import type { NpmStart } from './npm-start';

const ROOT = resolve(__dirname, '../../..');
/** An address that only this process has, for the servers of the pages. */
const HOST = `127.77.${1 + ((process.pid >> 8) % 250)}.${1 + (process.pid % 250)}`;

export interface StackPages {
  /** Runs every command of a page, after those of `before`; fails with what did not do what the page says. */
  run(page: string, before?: string): Promise<void>;
  end(): Promise<void>;
}

export async function startPages(home: string, start: NpmStart): Promise<StackPages> {
  const folder = cloneFolder();
  const { api_url: api, postgres_url: database } = start.runtime();
  const shell = startShell(folder.clone, { MARKET_HOME: home, RECEIVER_HOST: HOST });
  await shell.run(`MARKET_API_URL=${api}; DATABASE_URL='${database}'; CLONE=$PWD
    market() { node ${ROOT}/tools/market.mjs "$@"; }
    command -v psql > /dev/null || psql() { node ${ROOT}/test/support/stack/psql.mjs "$@"; }`);
  const developer = await withClient(database, async (client) => {
    const sql = `SELECT user_id FROM users WHERE email = 'developer@marketplace.example'`;
    const { rows } = await client.query<{ user_id: string }>(sql);
    return rows[0]?.user_id ?? '';
  });
  return {
    async run(page, before = '') {
      await shell.run(`cd $CLONE; unset MARKET_API_KEY; ${before}`);
      const call = /inv_[0-9a-f]{32}/.exec(start.output())?.[0] ?? '';
      const { problems, ran } = await runPage(page, shell, (text) =>
        text
          .replaceAll('127.77.0.5', HOST)
          .replaceAll('http://127.0.0.1:4000', api)
          .replace('ledger trace inv_…', `ledger trace ${call}`)
          .replace('--developer usr_…', `--developer ${developer}`),
      );
      expect(problems.join('\n')).toBe('');
      expect(ran).toBeGreaterThan(0);
    },
    async end() {
      await shell.end();
      folder.remove();
    },
  };
}
