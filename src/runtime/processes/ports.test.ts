import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choosePorts, portHolder } from './ports';
import { freePort } from './processes';

describe('the ports of the local stack', () => {
  let server: Server;
  let taken: number;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    taken = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  it('are the wanted ones when they are free', async () => {
    const said: string[] = [];
    const wanted = { api: 0, temporal: 0, temporalUi: 0, postgres: 0 };
    for (const key of Object.keys(wanted) as (keyof typeof wanted)[]) wanted[key] = await freePort();
    expect(await choosePorts(wanted, (line) => said.push(line))).toEqual(wanted);
    expect(said).toEqual([]);
  });

  it('are the next free ones, with a message that names the holder of the wanted one', async () => {
    const said: string[] = [];
    const wanted = {
      api: taken,
      temporal: await freePort(),
      temporalUi: await freePort(),
      postgres: await freePort(),
    };
    const chosen = await choosePorts(wanted, (line) => said.push(line));
    expect(chosen.api).toBeGreaterThan(taken);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`port ${taken} of the API is used by process ${process.pid} (`);
    expect(said[0]).toContain(`using ${chosen.api}`);
  });

  it('are never one that browsers refuse to open', async () => {
    const said: string[] = [];
    const { api } = await choosePorts({ api: 4190 }, (line) => said.push(line));
    expect(api).toBeGreaterThan(4190);
    expect(said).toEqual([`port 4190 of the API is one that browsers refuse to open; using ${api} instead`]);
  });

  it('never give the same port to two parts', async () => {
    const port = await freePort();
    const chosen = await choosePorts(
      { api: port, temporal: port, temporalUi: port, postgres: port },
      () => undefined,
    );
    expect(new Set(Object.values(chosen)).size).toBe(4);
  });

  it('differ for two starts at once, which both see the wanted ports free', async () => {
    const api = await freePort();
    const cache = mkdtempSync(join(tmpdir(), 'market-ports-'));
    const script = `
      const { choosePorts } = require(${JSON.stringify(join(__dirname, 'ports.ts'))});
      choosePorts({ api: ${api}, temporal: ${api + 1} }, () => undefined).then((chosen) => process.send(chosen));
      setInterval(() => undefined, 1_000);
    `;
    const starts = [1, 2].map(() =>
      spawn(process.execPath, ['--require', 'tsx/cjs', '-e', script], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, XDG_CACHE_HOME: cache },
      }),
    );
    try {
      const answerOf = async (start: ChildProcess): Promise<Record<string, number>> => {
        const [ports] = (await once(start, 'message')) as [Record<string, number>];
        return ports;
      };
      const chosen = await Promise.all(starts.map((start) => answerOf(start)));
      expect(new Set(chosen.flatMap((ports) => Object.values(ports))).size).toBe(4);
    } finally {
      for (const start of starts) start.kill('SIGKILL');
      rmSync(cache, { recursive: true });
    }
  });

  it('have no holder if no process listens', async () => {
    expect(portHolder(await freePort())).toBeUndefined();
  });
});
