/** A local copy of the object store that publishes OSV: ranges, etags, checksums, and what goes wrong with them. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { crc32c } from '../../../src/kit/crypto/crc32c';
import { testCertificates } from '../agents/authority';
import { zipOf } from './bundles';
import { realTime } from '../waits';

export interface BucketRequest {
  path: string;
  range: string | undefined;
  status: number;
}

export interface OsvBucket {
  url: string;
  requests: BucketRequest[];
  /** Replaces what an ecosystem holds: its archive, its list of changes and its records. */
  put(ecosystem: string, records: readonly { id: string; modified: string }[]): void;
  /** The next response with an archive ends after so many bytes. */
  breakAfter(bytes: number): void;
  /** Changes the checksum that the archive is published with; undefined publishes none. */
  publishChecksum(value: string | undefined): void;
  /** Replaces an object as it is. */
  putObject(path: string, content: Buffer): void;
  stop(): Promise<void>;
}

export async function startOsvBucket(): Promise<OsvBucket> {
  const { leaf } = await testCertificates();
  const objects = new Map<string, Buffer>();
  const requests: BucketRequest[] = [];
  let brokenAfter: number | undefined;
  let checksum: { value: string | undefined } | undefined;

  const server = createServer({ cert: leaf.certPem, key: leaf.keyPem }, (request, response) => {
    const path = (request.url ?? '').slice(1);
    const { range, 'if-range': ifRange } = request.headers;
    const content = objects.get(path);
    const answer = (status: number, headers: Record<string, string | number>, body: Buffer) => {
      requests.push({ path, range, status });
      response.writeHead(status, headers);
      if (brokenAfter === undefined || !path.endsWith('.zip')) return void response.end(body);
      response.write(body.subarray(0, brokenAfter), () => {
        void realTime(100, 'what was written goes out first').then(() => response.destroy());
      });
      brokenAfter = undefined;
    };
    if (!content) return answer(404, {}, Buffer.from('NoSuchKey'));
    const etag = `"${createHash('md5').update(content).digest('hex')}"`;
    const hash = checksum ? checksum.value : hashesOf(content);
    const headers = { etag, ...(hash !== undefined && { 'x-goog-hash': hash }) };
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]);
    if (Number.isNaN(from) || ifRange !== etag)
      return answer(200, { ...headers, 'content-length': content.length }, content);
    if (from >= content.length) return answer(416, headers, Buffer.alloc(0));
    const rest = content.subarray(from);
    const contentRange = `bytes ${from}-${content.length - 1}/${content.length}`;
    return answer(206, { ...headers, 'content-range': contentRange, 'content-length': rest.length }, rest);
  });
  server.listen(0, '127.77.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.77.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put(ecosystem, records) {
      const files = records.map((one) => [`${one.id}.json`, Buffer.from(JSON.stringify(one))] as const);
      for (const [name, bytes] of files) objects.set(`${ecosystem}/${name}`, bytes);
      objects.set(`${ecosystem}/all.zip`, zipOf(new Map(files)));
      const newestFirst = [...records].sort((a, b) => (a.modified < b.modified ? 1 : -1));
      const lines = newestFirst.map(({ id, modified }) => `${modified},${id}`);
      objects.set(`${ecosystem}/modified_id.csv`, Buffer.from(`${lines.join('\n')}\n`));
    },
    breakAfter: (bytes) => (brokenAfter = bytes),
    publishChecksum: (value) => (checksum = { value }),
    putObject: (path, content) => objects.set(path, content),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** `crc32c=…,md5=…`, as Google Cloud Storage publishes it. */
function hashesOf(content: Buffer): string {
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32c(content));
  return `crc32c=${crc.toString('base64')},md5=${createHash('md5').update(content).digest('base64')}`;
}
