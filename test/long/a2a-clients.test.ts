/**
 * The official Python SDK as a client of agents, in its last version of A2A 0.3 and in its current one. It finds an
 * agent by its card, authenticates by the schemes of the card, buys, answers a question, and follows a job to its end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { makeKey } from '../support/accounts/keys';
import { startEverything } from '../support/agents/mcp-everything';
import { jobTaken, startJobAgent } from '../support/jobs/reporting-agent';
import { balance, eventually } from '../support/market';
import { putServerLive } from '../support/protocols/mcp-upstream';
import { useScene } from '../support/use-market';

const CACHE = join(tmpdir(), 'agent-marketplace-generators');
const SDKS = { 'a2a_0_3.py': 'a2a-sdk==0.3.26', 'a2a_1.py': 'a2a-sdk==1.3.0' } as const;
type Script = keyof typeof SDKS;
const SCRIPTS = Object.keys(SDKS) as Script[];

interface Python {
  command: string;
  /** Why this machine cannot get the SDK; undefined if it has it. */
  missing?: string;
}

/** The interpreter of a virtual environment with an SDK. An environment is kept for the next run. */
function obtain(requirement: string): Python {
  const folder = join(CACHE, requirement.replaceAll(/[^\w.-]/g, '_'));
  const command = join(folder, 'bin/python');
  if (existsSync(join(folder, 'installed'))) return { command };
  mkdirSync(CACHE, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const steps = [
    ['-m', 'venv', '--without-pip', folder],
    ['-m', 'pip', '--python', command, 'install', '--quiet', '--disable-pip-version-check', requirement],
  ];
  for (const args of steps) {
    const { status, stderr, error } = spawnSync('python3', args, { timeout: 240_000, encoding: 'utf8' });
    if (status !== 0)
      return { command, missing: error?.message ?? stderr.trim().split('\n').at(-1) ?? 'failed' };
  }
  mkdirSync(join(folder, 'installed'));
  return { command };
}

const pythons = Object.fromEntries(SCRIPTS.map((script) => [script, obtain(SDKS[script])])) as Record<
  Script,
  Python
>;
const missing = SCRIPTS.map((script) => pythons[script].missing).find((reason) => reason !== undefined);
const each = (missing === undefined ? it : it.skip).each(SCRIPTS);
const note = missing === undefined ? '' : `: left out, this machine cannot get it (${missing})`;

const scene = useScene();

type Line = Record<string, unknown>;

/** Runs a client. `react` is called with each line that it prints. */
async function run(script: Script, options: Line, react?: (line: Line) => void): Promise<Line[]> {
  const { key } = await makeKey(scene.market, scene.buyer, { scopes: ['agents:invoke'] });
  const { url: market, config } = scene.market;
  const given = { origin: config.PUBLIC_ORIGIN, market, scheme: 'apiKey', key, ...options };
  const path = resolve(__dirname, '../support/protocols/python', script);
  const child = spawn(pythons[script].command, [path, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    react?.(line);
  });
  const [code] = (await once(child, 'close')) as [number];
  expect([code, lines]).toEqual([0, expect.anything()]);
  return lines;
}

each(
  `buys from an MCP agent, and cancels a task (%s)${note}`,
  async (script) => {
    const server = await startEverything('modern');
    const agentId = await putServerLive(scene.market, scene.developer.userId, server.url);
    const before = await balance(scene.market.owner, scene.buyer.userId, 'wallet');
    const lines = await run(script, {
      agent_id: agentId,
      data: { tool: 'test_simple_text', arguments: {} },
    });
    const text = 'This is a simple text response for testing.';
    expect(lines).toMatchObject([
      {
        card: 'Self-hosted',
        most_credits: 3,
        skills: { test_simple_text: ['{"tool":"test_simple_text","arguments":{}}'] },
      },
      ...lines.slice(1, -2),
      { state: 'completed', data: [{ content: [{ type: 'text', text }] }] },
      { canceled: 'canceled' },
    ]);
    expect(before - (await balance(scene.market.owner, scene.buyer.userId, 'wallet'))).toBe(300);
    await server.stop();
  },
  300_000,
);

each(
  `follows a job to its end, and answers its question (%s)${note}`,
  async (script) => {
    const agent = await startJobAgent(scene.market, scene.developer);
    const schema = { type: 'object', properties: { year: { type: 'string' } }, required: ['year'] };
    const asked = eventually(() => agent.agent.deliveries.length > 0, 60_000).then(async () => {
      const id = await jobTaken(scene.market, agent);
      await agent.callBack(id, 'progress', { progress: 0.4, message: 'Reads.' });
      await agent.callBack(id, 'question', { prompt: 'Which year?', schema });
      await eventually(() => agent.agent.deliveries.length > 1, 60_000);
      await agent.callBack(id, 'answer', { output: { text: 'in 1999' } });
    });
    const lines = await run(script, { agent_id: agent.agentId, data: { text: 'job' } });
    await asked;
    const states = lines.map(({ state }) => state);
    expect(states.slice(states.indexOf('working'), -2)).toEqual([
      'working',
      'input-required',
      'working',
      'completed',
    ]);
    expect(lines.slice(-2)).toMatchObject([
      { state: 'completed', data: [{ text: 'in 1999' }] },
      { canceled: 'canceled' },
    ]);
  },
  300_000,
);
