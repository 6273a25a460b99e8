/** The parts of `npm start`: whether they run, and whether calls work after one was killed. */
import { readdirSync, readFileSync } from 'node:fs';
import { createApiClient, type ApiClient } from '../../../src/runtime/demonstration/api-client';
import { waitUntil } from '../../../src/runtime/processes/processes';
import type { NpmStart } from './npm-start';

export async function buyerOf(start: NpmStart): Promise<ApiClient> {
  const { api_url: url, accounts } = start.runtime();
  const buyer = createApiClient(url);
  await buyer.call('POST', '/v1/auth/login', accounts.buyer);
  return buyer;
}

/** A paid call of the buyer. */
export const profile = (buyer: ApiClient) =>
  buyer.attempt('POST', '/v1/agents/agt_csv_profiler_v1/invoke', { input: { csv: 'n\n1\n2\n' } });

/** Kills a part, and expects that it runs again and that a call works. */
export async function killAndCall(start: NpmStart, name: string): Promise<void> {
  const pid = start.processes().find((part) => part.name === name)?.pid as number;
  const buyer = await buyerOf(start);
  process.kill(pid, 'SIGKILL');
  await start.until(new RegExp(`${name} ended \\(SIGKILL\\)[^]*${name} is running again`), 45_000);
  const works = await waitUntil(
    async () => (await profile(buyer).catch(() => undefined))?.status === 200,
    30_000,
    300,
  );
  expect(works).toBe(true);
}

/** Command lines of processes that were started for this home: all of them name it, in arguments or environment. */
export function processesOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return command && `${environment} ${command}`.includes(home) ? [command] : [];
      } catch {
        return [];
      }
    });
}
