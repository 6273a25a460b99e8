/**
 * `npm run bench:stream`: measures the latency of streams and the cost of 100 parallel ones on a real stack: Postgres
 * with fsync, Temporal with its state in a file, an API process, and a streaming agent in its own process.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool as PgPool } from 'pg';
import { checkLedger } from '../src/services/ledger/ledger-check';
import { chat, CHAT_SCHEMAS, type ChatReply } from '../test/support/calls/chat';
import { putLive, register } from '../test/support/market';
import { startProcessStack, type ProcessStack } from '../test/support/stack/process-stack';
import { firstLine, median, quantile } from './measure';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const STREAMS = 100;
const CHUNKS = 200;
const WANTED = { firstChunkMs: 20, memoryMb: 700 };

async function main(): Promise<void> {
  const stack = await startProcessStack({ warm: true });
  const agent = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'stream-agent-process.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const agentUrl = await firstLine(agent.stdout);
    const env = {
      LOG_LEVEL: 'warn',
      // Agents on loopback: production refuses them.
      NODE_ENV: 'development',
      RATE_LIMIT_INVOCATIONS: '1000000',
    };
    const api = await stack.addProcess('api', { env });
    const market = { url: api.url, owner: stack.owner, container: stack.container as never };
    const developer = await register(market, 'developer');
    const buyer = await register(market, 'buyer', 100_000);
    const { agentId } = await putLive(market, developer.userId, agentUrl, {
      ...CHAT_SCHEMAS,
      credits: 5,
      timeoutMs: 60_000,
    });
    const turn = () => timedTurn(market, buyer, agentId);
    for (let n = 0; n < 3; n += 1) await turn();
    const single = [];
    for (let n = 0; n < ROUNDS; n += 1) single.push(await turn());
    const firsts = single.map(({ delaysMs }) => delaysMs[0] ?? NaN);
    const all = single.flatMap(({ delaysMs }) => delaysMs).sort((a, b) => a - b);
    console.log(`one client, ${ROUNDS} streams of ${CHUNKS} chunks:`);
    console.log(
      `  first chunk ${median(firsts).toFixed(2)} ms after the agent sent it (median; wanted: at most ${WANTED.firstChunkMs})`,
    );
    console.log(
      `  any chunk p50 ${quantile(all, 0.5).toFixed(2)} ms, p99 ${quantile(all, 0.99).toFixed(2)} ms`,
    );
    const startedAt = performance.now();
    const many = await Promise.all(Array.from({ length: STREAMS }, turn));
    const seconds = (performance.now() - startedAt) / 1_000;
    const incomplete = many.filter(({ reply }) => !isComplete(reply));
    const complete = many.length - incomplete.length;
    const [example] = incomplete;
    if (example) console.log(`  an incomplete one: ${describe(example.reply)}`);
    const delays = many.flatMap(({ delaysMs }) => delaysMs).sort((a, b) => a - b);
    const peakMb = peakMemoryMb(api.pid);
    console.log(`${STREAMS} parallel streams of ${CHUNKS} chunks in ${seconds.toFixed(1)} s:`);
    console.log(`  complete and in order: ${complete} (wanted: ${STREAMS})`);
    console.log(
      `  any chunk p50 ${quantile(delays, 0.5).toFixed(1)} ms, p99 ${quantile(delays, 0.99).toFixed(1)} ms`,
    );
    console.log(`  the API's memory at its peak: ${peakMb.toFixed(0)} MB (wanted: under ${WANTED.memoryMb})`);
    await api.kill('SIGTERM');
    const sound = await ledgerIsSound(stack);
    console.log(`  ledger check: ${sound ? 'passed' : 'FAILED'}`);
    const isGood =
      median(firsts) <= WANTED.firstChunkMs && complete === STREAMS && peakMb < WANTED.memoryMb && sound;
    if (!isGood) process.exitCode = 1;
  } finally {
    agent.kill();
    await stack.stop();
  }
}

/** One turn, with the time between sending and arrival for each chunk. */
async function timedTurn(market: { url: string }, buyer: { cookie: string }, agentId: string) {
  const delaysMs: number[] = [];
  const reply = await chat(market, buyer, agentId, undefined, {
    onEvent: ({ chunk }) => {
      const sentAt = chunk?.split(' ')[1]?.replace(';', '');
      if (sentAt) delaysMs.push(Number(process.hrtime.bigint() - BigInt(sentAt)) / 1e6);
    },
  });
  return { reply, delaysMs };
}

function isComplete({ text, last }: ChatReply): boolean {
  const numbers = text
    .split(';')
    .slice(0, -1)
    .map((part) => Number(part.split(' ')[0]));
  return last?.type === 'done' && numbers.length === CHUNKS && numbers.every((number, n) => number === n);
}

function describe({ status, refusal, events, last }: ChatReply): string {
  return `status ${status}, ${events.length} events, the last one ${JSON.stringify(last ?? refusal)}`;
}

/** Peak resident memory of the process (Linux; 0 elsewhere). */
function peakMemoryMb(pid: number): number {
  try {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(match?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

async function ledgerIsSound(stack: ProcessStack): Promise<boolean> {
  const pool = new PgPool({ connectionString: stack.environment()['DATABASE_URL'] });
  const { proofs } = await checkLedger(pool);
  await pool.end();
  return proofs.every(({ total }) => total === 0);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
