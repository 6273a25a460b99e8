/**
 * `npm run bench:egress`: measures the overhead of the rules of src/egress per call. The same call is made over warm
 * TLS connections, once with the rules (URL rules, DNS lookup, address check, pinning, limits, deadline) and once
 * with undici alone and a known address. Both alternate, so that noise affects both alike. One call at a time.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Pool } from 'undici';
import { createEgress } from '../src/egress/agent-call';
import { TEST_CA_FILE } from '../test/support/agents/authority';
import { firstLine, median, quantile } from './measure';

const CALLS = Number(process.env['BENCH_CALLS'] ?? 3_000);
const WARM_UP = 300;
const WANTED_MS = 2;
const BODY = Buffer.from(JSON.stringify({ text: 'x'.repeat(1_000) }));

interface Peers {
  host: string;
  port: number;
  dns: string;
}

async function main(): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'egress-peers.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const peers = JSON.parse(await firstLine(child.stdout)) as Peers;
    await compare(withRules(peers), withoutRules(peers));
  } finally {
    child.kill();
  }
}

interface Side {
  call(): Promise<number>;
  close(): Promise<void>;
}

function withRules({ port, dns }: Peers): Side {
  const egress = createEgress({
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_DENY: '',
    EGRESS_DNS_SERVERS: dns,
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    PUBLIC_ORIGIN: 'https://market.fixtures.example',
  });
  const url = `https://agent.fixtures.example:${port}/invoke`;
  return {
    async call() {
      const limits = { deadlineMs: Date.now() + 5_000, maxResponseBytes: 1_000_000 };
      const { body } = await egress.post({ url, body: BODY, headers: {}, ...limits });
      return body.length;
    },
    close: () => egress.close(),
  };
}

function withoutRules({ host, port }: Peers): Side {
  const ca = [...rootCertificates, readFileSync(TEST_CA_FILE, 'utf8')];
  const pool = new Pool(`https://agent.fixtures.example:${port}`, {
    connections: 1,
    connect: {
      ca,
      lookup: (_name, options, callback) => {
        if (options.all) callback(null, [{ address: host, family: 4 }]);
        else callback(null, host, 4);
      },
    },
  });
  return {
    async call() {
      const { body } = await pool.request({
        method: 'POST',
        path: '/invoke',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: BODY,
      });
      return (await body.arrayBuffer()).byteLength;
    },
    close: () => pool.close(),
  };
}

async function compare(rules: Side, none: Side): Promise<void> {
  const times = { rules: [] as number[], none: [] as number[] };
  for (let count = -WARM_UP; count < CALLS; count += 1) {
    const withRulesMs = await timed(rules);
    const withoutRulesMs = await timed(none);
    if (count < 0) continue;
    times.rules.push(withRulesMs);
    times.none.push(withoutRulesMs);
  }
  await Promise.all([rules.close(), none.close()]);
  const added = median(times.rules) - median(times.none);
  console.log(
    `${CALLS} calls of each kind in turn, ${BODY.length} bytes there and back, warm TLS connections:`,
  );
  console.log(`  with the rules     ${figures(times.rules)}`);
  console.log(`  without them       ${figures(times.none)}`);
  console.log(`  the rules add      ${added.toFixed(2)} ms at the median (wanted: at most ${WANTED_MS})`);
  if (!(added <= WANTED_MS)) process.exitCode = 1;
}

async function timed(side: Side): Promise<number> {
  const startedAt = performance.now();
  if ((await side.call()) !== BODY.length) throw new Error('the agent did not echo');
  return performance.now() - startedAt;
}

function figures(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (q: number) => quantile(sorted, q).toFixed(2).padStart(6);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
