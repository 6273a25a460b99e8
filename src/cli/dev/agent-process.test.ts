import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/waits';
import { type AgentProcess, createAgentProcess } from './agent-process';

/** Listens on PORT, ends as a path says, and answers everything else with its process id. */
const SERVER = `
import { createServer } from 'node:http';
createServer((request, response) => {
  if (request.url === '/exit') process.exit(3);
  if (request.url === '/kill') process.kill(process.pid, 'SIGKILL');
  response.end(String(process.pid));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

let folder: string;
let agent: AgentProcess | undefined;
let lines: string[];
beforeEach(() => {
  [folder, lines, agent] = [mkdtempSync(join(tmpdir(), 'market-agent-')), [], undefined];
});
afterEach(async () => {
  await agent?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function started(server: string): Promise<AgentProcess> {
  writeFileSync(join(folder, 'server.mjs'), server);
  const command = `exec ${process.execPath} server.mjs`;
  agent = await createAgentProcess({ folder, command, secret: undefined, say: (line) => lines.push(line) });
  return agent;
}

const ask = async ({ port }: AgentProcess, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    (response) => response.text(),
    () => 'no answer',
  );

/** Waits until the process was reported as ended so many times, and its next start is over. */
async function ended(process: AgentProcess, times: number): Promise<void> {
  const count = () => lines.filter((line) => line.includes('the agent ended')).length;
  await eventually(() => Promise.resolve(count() === times), 20_000);
  await process.ready();
}

it('passes on whole lines, in whatever pieces the agent writes them', async () => {
  const process = await started(`import { writeSync } from 'node:fs';
    for (const piece of ['listening', ' on\\n', '\\nready', '\\n']) {
      writeSync(1, piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    ${SERVER}`);
  expect(await process.restart()).toBe(true);
  await eventually(() => lines.length >= 3);
  expect(lines).toEqual(['  agent: listening on', '  agent:', '  agent: ready']);
});

it('says how the agent ended, and starts it again', async () => {
  const process = await started(SERVER);
  expect(await process.restart()).toBe(true);
  const first = await ask(process, '/');
  expect(await ask(process, '/exit')).toBe('no answer');
  await ended(process, 1);
  const second = await ask(process, '/');
  expect([/^\d+$/.test(second), second === first]).toEqual([true, false]);
  await ask(process, '/kill');
  await ended(process, 2);
  expect(await ask(process, '/')).toMatch(/^\d+$/);
  expect(lines).toEqual([
    'the agent ended with exit code 3; it is started again',
    'the agent ended by SIGKILL; it is started again in 1 s',
  ]);
}, 30_000);

it('says that an agent does not start again', async () => {
  const process = await started(SERVER);
  await process.restart();
  writeFileSync(join(folder, 'server.mjs'), 'this is no program');
  await ask(process, '/exit');
  await ended(process, 1);
  expect(lines.at(-1)).toBe('the agent does not start: it is started again when a file changes');
}, 30_000);

it('says nothing about an agent that is stopped, or started anew', async () => {
  const process = await started(SERVER);
  await process.restart();
  await process.restart();
  await process.stop();
  expect(await ask(process, '/')).toBe('no answer');
  expect(lines).toEqual([]);
}, 30_000);
