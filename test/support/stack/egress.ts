/**
 * Shared by tests of egress: a correct agent on the allowed network, a DNS server, and the forbidden side: listeners on
 * loopback (both families) and on this machine's own addresses, all on the agent's port, that must see nothing.
 */
import { networkInterfaces } from 'node:os';
import {
  createEgress,
  type Egress,
  type EgressRequest,
  type EgressSettings,
} from '../../../src/egress/agent-call';
import { EgressError } from '../../../src/egress/egress-error';
import { TEST_CA_FILE, testCertificates } from '../agents/authority';
import type { Behaviour } from '../agents/behaviours';
import { startDns, type DnsRecords, type TestDns } from '../agents/dns-server';
import { startAgent, startHoneypot, type Honeypot, type TestAgent } from '../agents/test-agent';
import { eventually } from '../waits';

export interface CallOptions extends Partial<EgressRequest> {
  /** Default: 3 s. */
  timeoutMs?: number;
}

export interface EgressFixture {
  agent: TestAgent;
  dns: TestDns;
  egress: Egress;
  /** Addresses of the forbidden side. */
  forbidden: readonly string[];
  /** Connections that reached the forbidden side: must stay 0. */
  breakOuts(): number;
  /** POSTs `{"text":"hello"}`. */
  call(url: string, options?: CallOptions): ReturnType<Egress['post']>;
  stop(): Promise<void>;
}

export const AGENT_NAME = 'agent.fixtures.example';

/** Settings under which the fixtures of 127.77.0.0/16 may be called, and nothing else inside. */
export function egressSettings(more: Partial<EgressSettings> = {}): EgressSettings {
  return {
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_DENY: '',
    EGRESS_DNS_SERVERS: '127.0.0.1:1',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    PUBLIC_ORIGIN: 'https://market.fixtures.example',
    ...more,
  };
}

/** `records` besides `agent.fixtures.example`, which is the agent's own address. */
export async function startEgressFixture(records: DnsRecords = {}): Promise<EgressFixture> {
  await testCertificates();
  const { agent, honeypots } = await startBothSides();
  const dns = await startDns({ [AGENT_NAME]: [agent.host], ...records });
  const egress = createEgress(egressSettings({ EGRESS_DNS_SERVERS: dns.address }));
  return {
    agent,
    dns,
    egress,
    forbidden: honeypots.map(({ host }) => host),
    breakOuts: () => honeypots.reduce((sum, { honeypot }) => sum + honeypot.connections(), 0),
    call: (url, options) => egress.post(requestTo(url, options)),
    async stop() {
      await egress.close();
      await Promise.all([agent.stop(), dns.stop(), ...honeypots.map(({ honeypot }) => honeypot.stop())]);
    },
  };
}

export function requestTo(url: string, { timeoutMs = 3_000, ...rest }: CallOptions = {}): EgressRequest {
  return {
    url,
    body: Buffer.from('{"text":"hello"}'),
    headers: {},
    deadlineMs: Date.now() + timeoutMs,
    maxResponseBytes: 1_000_000,
    ...rest,
  };
}

/** The failure of a call that must fail. */
export async function failureOf(work: Promise<unknown>): Promise<EgressError> {
  const error = await work.then(
    (value) => new Error(`answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof EgressError)) throw error;
  return error;
}

/** Calls an agent that behaves so; the failure, once nothing of the call is left open. */
export async function failureWith(
  { call }: Pick<EgressFixture, 'call'>,
  behaviour: Behaviour,
  options?: CallOptions,
): Promise<EgressError> {
  const bad = await startAgent({ behaviour });
  try {
    const failure = await failureOf(call(bad.url, options));
    await untilClosed(bad);
    return failure;
  } finally {
    await bad.stop();
  }
}

/** Waits until the agent has no connection; throws after `timeoutMs`. */
export async function untilClosed(
  agent: Pick<TestAgent, 'openConnections'>,
  timeoutMs = 2_000,
): Promise<void> {
  await eventually(async () => (await agent.openConnections()) === 0, timeoutMs, 5);
}

interface Forbidden {
  host: string;
  honeypot: Honeypot;
}

/** An agent, and the forbidden side on its port; another port is tried if one is in use. */
async function startBothSides(): Promise<{ agent: TestAgent; honeypots: Forbidden[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const agent = await startAgent();
    const honeypots: Forbidden[] = [];
    try {
      for (const host of forbiddenHosts()) {
        honeypots.push({ host, honeypot: await startHoneypot(host, agent.port) });
      }
      return { agent, honeypots };
    } catch (error) {
      await Promise.all([agent.stop(), ...honeypots.map(({ honeypot }) => honeypot.stop())]);
      if (attempt === 5) throw error;
    }
  }
}

/** Loopback and this machine's own addresses; link-local ones need a zone, which no address of a call can have. */
function forbiddenHosts(): string[] {
  const entries = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const own = entries.map(({ address }) => address).filter((address) => !/^fe80:/i.test(address));
  return [...new Set(['127.0.0.1', ...own])];
}
