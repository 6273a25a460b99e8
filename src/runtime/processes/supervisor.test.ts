import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodePart } from './node-part';
import { isAlive } from '../base/alive.cjs';
import { waitUntil } from './processes';
import { createSupervisor, type Part } from './supervisor';
import { realTime } from '../../../test/support/waits';

const folder = mkdtempSync(join(tmpdir(), 'market-supervisor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIVES = 'setInterval(() => undefined, 1_000)';

function part(name: string, script: string, isReady = () => true): Part {
  return nodePart({
    name,
    args: ['-e', script],
    cwd: folder,
    env: {},
    logFile: join(folder, `${name}.log`),
    isReady,
  });
}

function watched() {
  const notices: string[] = [];
  const supervisor = createSupervisor({ notice: (line) => notices.push(line), onChange: () => undefined });
  const pidOf = (name: string) => supervisor.processes().find((process) => process.name === name)?.pid;
  return { notices, supervisor, pidOf };
}

describe('the supervisor', () => {
  it('starts a part again when it is killed, and reports it', async () => {
    const { supervisor, notices, pidOf } = watched();
    await supervisor.start(part('a', LIVES));
    const first = pidOf('a') as number;
    process.kill(first, 'SIGKILL');
    expect(await waitUntil(() => notices.length >= 2, 10_000)).toBe(true);
    expect(notices[0]).toBe('a ended (SIGKILL); restarting it in 0.5 s');
    expect(notices[1]).toBe(`a is running again (process ${pidOf('a')})`);
    expect(pidOf('a')).not.toBe(first);
    await supervisor.stop(['a']);
  });

  it('waits longer each time a part keeps dying', async () => {
    const { supervisor, notices } = watched();
    await supervisor.start(part('b', 'setTimeout(() => process.exit(3), 150)'));
    await waitUntil(() => notices.filter((line) => line.includes('ended')).length >= 3, 15_000);
    const pauses = notices.flatMap((line) => /ended \(exit code 3\).* in ([\d.]+) s/.exec(line)?.[1] ?? []);
    expect(pauses.slice(0, 3)).toEqual(['0.5', '1', '2']);
    await supervisor.stop(['b']);
  });

  it('leaves no process behind when it stops, and starts nothing afterwards', async () => {
    const { supervisor, pidOf } = watched();
    await Promise.all([supervisor.start(part('c', LIVES)), supervisor.start(part('d', LIVES))]);
    const pids = [pidOf('c'), pidOf('d')] as number[];
    supervisor.close();
    await supervisor.stop(supervisor.names());
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(supervisor.names()).toEqual([]);
    await expect(supervisor.start(part('e', LIVES))).rejects.toThrow('being stopped');
  });

  it('stops a part that is still getting ready', async () => {
    const { supervisor } = watched();
    const start = supervisor.start(part('f', `process.title = 'part-f'; ${LIVES}`, () => false));
    const refused = expect(start).rejects.toThrow('f was stopped before it was ready');
    await realTime(300, 'the part is getting ready');
    const before = Date.now();
    await supervisor.stop(['f']);
    await refused;
    expect(Date.now() - before).toBeLessThan(3_000);
  });

  it('fails a start with the end of the log when the part does not live', async () => {
    const { supervisor } = watched();
    const start = supervisor.start(
      part('g', `console.error('no such setting'); process.exit(1)`, () => false),
    );
    await expect(start).rejects.toThrow(/g ended immediately; see its log .*g\.log[^]*no such setting/);
  });
});
