/** The packed TypeScript client in programs of its users: installed without a registry, compiled by each compiler. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(__dirname, '../..');
const TARBALL = join(ROOT, 'dist/downloads/agent-marketplace-client.tgz');
/** The oldest compiler that is supported, the one of this repository, and the newest. */
const COMPILERS = ['typescript-5', 'typescript', 'typescript-7'];

const PROGRAM = `
import { createClient, MarketApiError, verifyWebhook } from '@agent-marketplace/client';
import type { ChatEvent, ErrorCode, MarketEvent, MarketEventOf, Schema } from '@agent-marketplace/client';

const market = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'amk', timeoutMs: 1_000, totalTimeoutMs: 5_000 });

export async function buy(): Promise<number> {
  const { output, usage } = await market.invoke('word-counter', { text: 'a b' }, { maxCostCredits: 2, timeoutMs: 500 });
  const credits: number = usage.credits_charged;
  const words: unknown = output;
  for await (const listing of market.pages('/v1/listings', { params: { query: { limit: 5 } } })) {
    const agent: Schema<'Listing'>['agent_id'] = listing.agent_id;
    console.log(agent, words);
  }
  return credits;
}

export function describe(event: MarketEvent): string {
  switch (event.type) {
    case 'credits.loaded': return \`\${event.data.credits.toFixed(2)} \${event.data.currency}\`;
    case 'invocation.failed': return event.data.error_code ?? '';
    // @ts-expect-error there is no such event
    case 'nothing.happened': return '';
    default: return event.timestamp;
  }
}

export async function receive(body: string, headers: Record<string, string>): Promise<string> {
  const { id, body: event } = await verifyWebhook({ secret: 'whsec_', body, headers });
  const loaded: MarketEventOf<'credits.loaded'> | undefined = event.type === 'credits.loaded' ? event : undefined;
  // @ts-expect-error the event of another type has no credits
  if (event.type === 'agent.delisted') console.log(event.data.credits);
  return loaded?.data.topup_id ?? id;
}

export async function follow(turn: AsyncGenerator<ChatEvent>): Promise<string> {
  let text = '';
  for await (const event of turn) if (event.type === 'output_chunk') text += event.chunk;
  for await (const event of market.events({ types: ['credits.loaded'] })) return event.id + describe(event);
  return text;
}

export function reasonOf(error: unknown): [ErrorCode | string, string | undefined] {
  if (!(error instanceof MarketApiError)) throw error;
  return [error.code, error.idempotencyKey];
}

// @ts-expect-error no such path
export const missing = () => market.get('/v1/nothing');
// @ts-expect-error the query has no such parameter
export const wrongQuery = () => market.get('/v1/listings', { params: { query: { limits: 5 } } });
// @ts-expect-error the body needs scopes
export const wrongBody = () => market.post('/v1/keys', { body: { name: 'a key' } });
`;

const BASE = {
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
};
const NODE = { lib: ['es2023'], types: ['node'] };
const BROWSER = { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] };
const CONSUMERS: Record<string, object> = {
  'nodenext, Node': { module: 'nodenext', moduleResolution: 'nodenext', ...NODE },
  'bundler, browser': { module: 'esnext', moduleResolution: 'bundler', ...BROWSER },
};

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'market-consumer-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const env = {
    ...process.env,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: join(folder, 'cache'),
  };
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', TARBALL], { cwd: folder, env });
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function compile(compiler: string, options: object, name: string): Promise<string> {
  const config = join(folder, `tsconfig.${name}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...BASE, ...options }, files: ['program.ts'] }));
  const args = [join(ROOT, 'node_modules', compiler, 'bin/tsc'), '-p', config];
  return promisify(execFile)(process.execPath, args, { cwd: folder }).then(
    () => '',
    (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
  );
}

describe.each(COMPILERS)('%s', (compiler) => {
  it.each(Object.keys(CONSUMERS))('compiles a program of a user (%s)', async (name) => {
    const problems = await compile(compiler, CONSUMERS[name] ?? {}, `${compiler}.${name.split(',')[0]}`);
    expect(problems).toBe('');
  }, 180_000); // prettier-ignore
});

it('runs in Node, and reports a marketplace that is not there', async () => {
  const code = `import { createClient } from '@agent-marketplace/client';
    const market = createClient({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 });
    await market.get('/v1/listings').catch((error) => console.log(error.name, error.code));`;
  const args = ['--input-type=module', '-e', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  expect(stdout).toBe('MarketApiError unreachable\n');
});
