import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAskedThread } from './asked-threads';

const folder = mkdtempSync(join(tmpdir(), 'asked-threads-'));
const file = join(folder, 'worker.js');
const resourceLimits = { maxOldGenerationSizeMb: 32 };

/** Answers with the number of its requests; `die` ends it after the answer, `hang` is never answered. */
const WORKER = `
  const { parentPort } = require('node:worker_threads');
  let requests = 0;
  parentPort.on('message', (request) => {
    requests += 1;
    if (request !== 'hang') parentPort.postMessage(requests);
    if (request === 'die') setTimeout(() => process.exit(0), 10);
  });
`;

beforeAll(() => writeFileSync(file, WORKER));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('replaces a thread that ended while idle or that exceeded its deadline', async () => {
  const thread = createAskedThread<string, number>({ file, resourceLimits, deadlineMs: 2_000 });
  expect([await thread.ask('one'), await thread.ask('die')]).toEqual([1, 2]);
  await sleep(300);
  expect(await thread.ask('after its end')).toBe(1);
  expect(await thread.ask('hang')).toBeUndefined();
  expect(await thread.ask('after its deadline')).toBe(1);
  await thread.close();
});
