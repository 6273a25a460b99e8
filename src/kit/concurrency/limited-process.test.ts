/** The processes run compiled code: `npm run build` first (`npm test` does). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { itOnLinux } from '../../../test/support/stack/threads';
import { type ProcessEnd, type ProcessLimits, runLimited } from './limited-process';
import { realTime } from '../../../test/support/waits';

const SERVED = resolve(__dirname, '../../../dist/kit/concurrency/limited-process.js');
const LIMITS: ProcessLimits = { heapMb: 64, memoryMb: 512, processorSeconds: 1, deadlineMs: 60_000 };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'market-limited-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  body: string,
  limits: Partial<ProcessLimits> = {},
  signal = new AbortController().signal,
): Promise<{ end: ProcessEnd; parts: unknown[] }> {
  const file = join(folder, `${Math.random()}.js`);
  writeFileSync(
    file,
    `require(${JSON.stringify(SERVED)}).serveLimited(async (work, send) => { await send('begun'); ${body} });`,
  );
  const parts: unknown[] = [];
  const onPart = (part: unknown) => parts.push(part);
  const end = await runLimited(file, { word: 'hello' }, { limits: { ...LIMITS, ...limits }, signal, onPart });
  return { end, parts };
}

it('returns the parts of the result, and hides the environment from the process', async () => {
  const given = await run('await send([work.word, Object.keys(process.env), process.argv.length]);');
  expect(given).toEqual({ end: 'done', parts: ['begun', ['hello', [], 2]] });
});

it.each<[string, string, ProcessEnd]>([
  ['aborts, as V8 does without memory', 'process.abort();', 'ended'],
  ['fills its heap', 'const all = []; for (;;) all.push({ all: all.length });', 'ended'],
  ['throws', "throw new Error('a file was the cause');", 'ended'],
  ['exits', 'process.exit(0);', 'ended'],
  ['is killed', "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);", 'ended'],
])('reports that a process %s, and keeps what it found before', async (_what, body, end) => {
  expect(await run(body, { processorSeconds: 20 })).toEqual({ end, parts: ['begun'] });
});

itOnLinux('ends a process that uses up its processor time, or its memory', async () => {
  expect(await run('for (;;);')).toEqual({ end: 'spent', parts: ['begun'] });
  const filling = 'const all = []; for (;;) all.push(Buffer.allocUnsafeSlow(1e7).fill(1));';
  expect(await run(filling, { processorSeconds: 20, memoryMb: 256 })).toEqual({
    end: 'ended',
    parts: ['begun'],
  });
});

it('ends a process that waits beyond its deadline', async () => {
  expect((await run('await new Promise((end) => setTimeout(end, 60000));', { deadlineMs: 200 })).end).toBe(
    'slow',
  );
});

it('gives the work its own deadline, however long the process may take to start', async () => {
  const waits = "await new Promise((end) => setTimeout(end, 3500)); await send('worked');";
  expect(await run(waits, { startMs: 3_000 })).toEqual({ end: 'done', parts: ['begun', 'worked'] });
});

itOnLinux('lets a process write no file', async () => {
  const { parts } = await run(
    "try { require('node:fs').writeFileSync(__filename + '.x', 'x'); await send('written'); } catch (e) { await send(e.code); }",
  );
  expect(parts).toEqual(['begun', 'EFBIG']);
});

it('is a fault of the service when the process cannot start, or an operator ends it', async () => {
  const onPart = () => undefined;
  const signal = new AbortController().signal;
  const missing = runLimited(join(folder, 'missing.js'), {}, { limits: LIMITS, signal, onPart });
  await expect(missing).rejects.toThrow('while starting');
  const ended = run("process.kill(process.pid, 'SIGTERM'); await new Promise(() => undefined);");
  await expect(ended).rejects.toThrow('SIGTERM');
});

it('ends the process when the work is cancelled', async () => {
  const cancelling = new AbortController();
  const waiting = run('await new Promise((end) => setTimeout(end, 60000));', {}, cancelling.signal);
  const cancelled = expect(waiting).rejects.toThrow('cancelled');
  await realTime(300, 'the process has begun');
  cancelling.abort(new Error('cancelled'));
  await cancelled;
});
