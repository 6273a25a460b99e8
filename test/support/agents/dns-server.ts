import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode, type Answer, type Packet } from 'dns-packet';

/**
 * The answer for a name: addresses (of either family), a CNAME, texts (TXT); or that the server does not answer,
 * does not exist, that the server fails, or sends something that is no answer.
 */
export type DnsRecord =
  | readonly string[]
  | { alias: string }
  | { texts: readonly string[] }
  | 'hangs'
  | 'missing'
  | 'fails'
  | 'garbage';

/** A record may depend on the count of earlier queries for that name and type, and on the type. */
export type DnsRecords = Record<string, DnsRecord | ((earlier: number, type: string) => DnsRecord)>;

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
 * A DNS server on loopback with fixture names, which can flip with each query. Every answer has TTL 0, unless
 * `ttlSeconds` sets another.
 */
export async function startDns(records: DnsRecords, ttlSeconds = 0): Promise<TestDns> {
  const socket = createSocket('udp4');
  const counts = new Map<string, number>();
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const reply = answerTo(decode(message), records, counts, ttlSeconds);
    if (reply) socket.send(reply, from.port, from.address);
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
  records: DnsRecords,
  counts: Map<string, number>,
  ttl: number,
): Buffer | undefined {
  const question = query.questions?.[0];
  if (!question) return undefined;
  const name = question.name.toLowerCase();
  const key = `${name}/${question.type}`;
  const earlier = counts.get(key) ?? 0;
  counts.set(key, earlier + 1);
  const recordOf = (of: string) => {
    const found = records[of];
    return typeof found === 'function' ? found(earlier, question.type) : (found ?? 'missing');
  };
  const record = recordOf(name);
  if (record === 'hangs') return undefined;
  if (record === 'garbage') return Buffer.from('this is no DNS message, whatever you read in it');
  const head: Packet = { type: 'response', flags: AUTHORITATIVE_ANSWER, questions: query.questions ?? [] };
  if (query.id !== undefined) head.id = query.id;
  if (record === 'missing') return encode({ ...head, flags: AUTHORITATIVE_ANSWER | NXDOMAIN });
  if (record === 'fails') return encode({ ...head, flags: AUTHORITATIVE_ANSWER | SERVFAIL });
  const { type } = question;
  if (Array.isArray(record)) return encode({ ...head, answers: answersOf(question.name, type, ttl, record) });
  if (typeof record === 'object' && 'texts' in record) {
    const answers = type === 'TXT' ? record.texts.map(textOf(question.name, ttl)) : [];
    return encode({ ...head, answers });
  }
  const { alias } = record as { alias: string };
  const target = recordOf(alias);
  const cname: Answer = { name: question.name, type: 'CNAME', ttl, class: 'IN', data: alias };
  const addresses = Array.isArray(target) ? answersOf(alias, type, ttl, target) : [];
  return encode({ ...head, answers: [cname, ...addresses] });
}

function answersOf(name: string, type: string, ttl: number, addresses: readonly string[]): Answer[] {
  const wanted = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
  if (type !== 'A' && type !== 'AAAA') return [];
  return wanted.map((data) => ({ name, type, ttl, class: 'IN', data }));
}

function textOf(name: string, ttl: number) {
  return (data: string): Answer => ({ name, type: 'TXT', ttl, class: 'IN', data });
}
