import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet';

/** What a name answers: addresses (of either family), or that it hangs, does not exist, or that the server fails. */
export type DnsRecord = readonly string[] | 'hangs' | 'missing' | 'fails';

export interface TestDns {
  /** For the setting `EGRESS_DNS_SERVERS`. */
  address: string;
  /** Queries so far, by name. */
  queriesOf(name: string): number;
  stop(): Promise<void>;
}

const NXDOMAIN = 3;
const SERVFAIL = 2;

/**
 * A DNS server on loopback with fixture names. A record may be a function of the count of earlier queries for that
 * name and type, so that a name can flip with each query; every answer has TTL 0.
 */
export async function startDns(
  records: Record<string, DnsRecord | ((earlier: number) => DnsRecord)>,
): Promise<TestDns> {
  const socket = createSocket('udp4');
  const counts = new Map<string, number>();
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const reply = answerTo(decode(message), records, counts);
    if (reply) socket.send(encode(reply), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queriesOf: (name) => (counts.get(`${name}/A`) ?? 0) + (counts.get(`${name}/AAAA`) ?? 0),
    stop: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function answerTo(
  query: Packet,
  records: Record<string, DnsRecord | ((earlier: number) => DnsRecord)>,
  counts: Map<string, number>,
): Packet | undefined {
  const question = query.questions?.[0];
  if (!question) return undefined;
  const name = question.name.toLowerCase();
  const key = `${name}/${question.type}`;
  const earlier = counts.get(key) ?? 0;
  counts.set(key, earlier + 1);
  const found = records[name];
  const record = typeof found === 'function' ? found(earlier) : (found ?? 'missing');
  if (record === 'hangs') return undefined;
  const head: Packet = { type: 'response', flags: AUTHORITATIVE_ANSWER, questions: query.questions ?? [] };
  if (query.id !== undefined) head.id = query.id;
  if (record === 'missing') return { ...head, flags: AUTHORITATIVE_ANSWER | NXDOMAIN };
  if (record === 'fails') return { ...head, flags: AUTHORITATIVE_ANSWER | SERVFAIL };
  return { ...head, answers: answersOf(question.name, question.type, record) };
}

function answersOf(name: string, type: string, addresses: readonly string[]): Answer[] {
  const wanted = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
  if (type !== 'A' && type !== 'AAAA') return [];
  return wanted.map((data) => ({ name, type, ttl: 0, class: 'IN', data }));
}
