/**
 * The other side of `bench:egress`: an agent that echoes at once and a DNS server that knows it. Prints both addresses.
 */
import { startDns } from '../test/support/agents/dns-server';
import { startAgent } from '../test/support/agents/test-agent';

async function main(): Promise<void> {
  const agent = await startAgent({ host: '127.77.0.9', keepBodies: false });
  const dns = await startDns({ 'agent.fixtures.example': [agent.host] });
  console.log(JSON.stringify({ host: agent.host, port: agent.port, dns: dns.address }));
}

void main();
