import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { createEgress, type Egress } from '../../../src/egress/agent-call';
import { TEST_CA_FILE, testCertificates } from '../../support/agents/authority';

const EXAMPLES = join(__dirname, '../../../examples/agents');
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

interface Manifest {
  agent_id: string;
  examples?: { input: Record<string, unknown>; output: Record<string, unknown> }[];
  input_schema: { examples: Record<string, unknown>[] };
  output_schema: Record<string, unknown>;
}

let folder: string;
let egress: Egress;
const started: ChildProcess[] = [];

beforeAll(async () => {
  const { leaf } = await testCertificates();
  folder = mkdtempSync(join(tmpdir(), 'demonstration-agents-'));
  writeFileSync(join(folder, 'cert.pem'), leaf.certPem);
  writeFileSync(join(folder, 'key.pem'), leaf.keyPem, { mode: 0o600 });
  egress = createEgress({
    EGRESS_ALLOW: '127.77.0.0/16',
    EGRESS_DENY: '',
    EGRESS_DNS_SERVERS: '',
    EGRESS_EXTRA_CA_FILE: TEST_CA_FILE,
    PUBLIC_ORIGIN: 'http://127.0.0.1:4000',
  });
});

afterAll(async () => {
  await egress.close();
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function startDemonstration(slug: string, more: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(EXAMPLES, slug, 'server.mjs')], {
    env: {
      HOST: '127.77.0.9',
      PORT: '0',
      TLS_CERT_FILE: join(folder, 'cert.pem'),
      TLS_KEY_FILE: join(folder, 'key.pem'),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: /https:\S+/.exec(line.toString())?.[0] ?? '' };
}

const REQUEST = { body: Buffer.from('{}'), headers: {}, maxResponseBytes: 1_000_000 };

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const request = {
    url,
    body: Buffer.from(body),
    headers,
    deadlineMs: Date.now() + 10_000,
    maxResponseBytes: 1_000_000,
  };
  const answer = await egress.post(request);
  const text = answer.body.toString();
  const isStream = answer.status === 200 && text.endsWith('\n');
  return {
    status: answer.status,
    json: isStream ? collected(text) : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** The output that the marketplace makes of the pieces of a stream. */
function collected(lines: string): Record<string, unknown> {
  const pieces = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
  return { text: pieces.join('') };
}

const manifestOf = (slug: string) =>
  JSON.parse(readFileSync(join(EXAMPLES, slug, 'manifest.json'), 'utf8')) as Manifest;

describe.each([
  'csv-profiler',
  'factor-finder',
  'html-to-markdown',
  'identifier-audit',
  'plain-english',
  'unit-converter',
])('the demonstration agent %s', (slug) => {
  it('answers its own examples within its own schema, refuses bad input, and stops on a signal', async () => {
    const { child, url } = await startDemonstration(slug);
    const manifest = manifestOf(slug);
    expect(manifest.agent_id).toBe(slug);
    const ajv = addFormats(new Ajv2020({ strict: false }));
    const [validateInput, validateOutput] = [
      ajv.compile(manifest.input_schema),
      ajv.compile(manifest.output_schema),
    ];
    const examples = [
      ...(manifest.examples ?? []),
      ...manifest.input_schema.examples.map((input) => ({ input, output: undefined })),
    ];
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const { input: example, output } of examples) {
      expect(validateInput(example)).toBe(true);
      const { status, json } = await post(`${url}/invoke`, JSON.stringify(example));
      expect(status).toBe(200);
      expect(validateOutput(json) || validateOutput.errors).toBe(true);
      if (output) expect(json).toEqual(output);
    }
    for (const bad of [
      '',
      'x',
      '[]',
      'null',
      '{}',
      '{"csv":1,"html":2,"quantity":3}',
      '{"csv":"","html":"","quantity":"kg","messages":[{"content":""}]}',
    ]) {
      expect(await post(`${url}/invoke`, bad)).toMatchObject({ status: 422, json: { error: {} } });
    }
    expect(
      (await egress.post({ ...REQUEST, url: `${url}/events`, deadlineMs: Date.now() + 10_000 })).status,
    ).toBe(204);
    expect((await post(`${url}/other`, '{}')).status).toBe(404);
    expect((await post(`${url}/healthz`, '{}')).status).toBe(404);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

it.each([
  [
    'csv-profiler',
    { csv: 'name' },
    { rows: 0, columns: [{ name: 'name', type: 'empty', missing_share: 0 }] },
  ],
  ['csv-profiler', { csv: ',' }, { rows: 0, columns: [], warnings: ['there is no row'] }],
  [
    'csv-profiler',
    { csv: ',\n,', has_header: false },
    { rows: 0, columns: [], warnings: ['there is no row'] },
  ],
  ['html-to-markdown', { html: 'only words' }, { markdown: 'only words', words: 2, reading_minutes: 1 }],
  ['csv-profiler', { csv: ' ' }, { rows: 0, columns: [], warnings: ['there is no row'] }],
  ['html-to-markdown', { html: ' ' }, { markdown: '', words: 0, reading_minutes: 0 }],
  ['html-to-markdown', { html: '<p></p>' }, { markdown: '', words: 0, reading_minutes: 0 }],
])('%s answers whatever its schema allows: %j', async (slug, input, output) => {
  const { url } = await startDemonstration(slug);
  const { input_schema: allowed, output_schema: promised } = manifestOf(slug);
  const ajv = addFormats(new Ajv2020({ strict: false }));
  expect(ajv.compile(allowed)(input)).toBe(true);
  const { status, json } = await post(`${url}/invoke`, JSON.stringify(input));
  expect({ status, json }).toMatchObject({ status: 200, json: output });
  const validateOutput = ajv.compile(promised);
  expect(validateOutput(json) || validateOutput.errors).toBe(true);
});

it('profiles the penguins with the published figures', async () => {
  const { url } = await startDemonstration('csv-profiler');
  const csv = readFileSync(join(EXAMPLES, 'csv-profiler/data/penguins.csv'), 'utf8');
  const { json } = await post(`${url}/invoke`, JSON.stringify({ csv }));
  expect(json).toMatchObject({ rows: 344, delimiter: ',', warnings: [] });
  const columns = json['columns'] as {
    name: string;
    type: string;
    missing: number;
    numeric: object | null;
  }[];
  expect(columns.map(({ name, type }) => `${name}: ${type}`)).toEqual([
    'species: text', 'island: text', 'beak_length_mm: number', 'beak_depth_mm: number', 'flipper_length_mm: integer',
    'body_mass_g: integer', 'sex: text',
  ]); // prettier-ignore
  expect(columns[5]).toMatchObject({
    missing: 2,
    numeric: { min: 2_700, max: 6_300, mean: 4_201.75, median: 4_050 },
  });
  expect(json['correlations']).toContainEqual({
    a: 'flipper_length_mm',
    b: 'body_mass_g',
    rows: 342,
    pearson: 0.871202,
  });
});

it('finds the article in the page', async () => {
  const { url } = await startDemonstration('html-to-markdown');
  const html = readFileSync(join(EXAMPLES, 'html-to-markdown/data/what-is-ownership.html'), 'utf8');
  const input = { html, base_url: 'https://doc.rust-lang.org/book/ch04-01-what-is-ownership.html' };
  const { json } = await post(`${url}/invoke`, JSON.stringify(input));
  expect(json).toMatchObject({
    title: 'What is Ownership? - The Rust Programming Language',
    language: 'en',
    is_article: true,
  });
  const headings = json['headings'] as { text: string }[];
  expect(headings.slice(0, 3).map(({ text }) => text)).toEqual([
    'What Is Ownership?',
    'The Stack and the Heap',
    'Ownership Rules',
  ]);
  expect(json['markdown']).toContain('Each value in Rust has an _owner_.');
  expect(json['markdown']).toContain('let s = "hello";');
  expect(json['markdown']).not.toContain('Keyboard shortcuts');
});

it('answers only signed calls if it has its secret', async () => {
  const { url } = await startDemonstration('unit-converter', { SIGNING_SECRET: SECRET });
  const body = '{"quantity":"26.2 mi","to":"km"}';
  const now = new Date();
  const headers = {
    'webhook-id': 'inv_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('inv_1', now, body),
  };
  expect(await post(`${url}/invoke`, body)).toMatchObject({ status: 401 });
  expect(await post(`${url}/invoke`, body.replace('26', '27'), headers)).toMatchObject({ status: 401 });
  expect(await post(`${url}/invoke`, body, headers)).toMatchObject({
    status: 200,
    json: { text: '42.1648128 km' },
  });
});

it('ships at most 200 kB of data, each with its licence', () => {
  for (const slug of ['csv-profiler', 'html-to-markdown']) {
    const data = join(EXAMPLES, slug, 'data');
    const files = readdirSync(data);
    expect(files).toContain('LICENSE.md');
    const licence = readFileSync(join(data, 'LICENSE.md'), 'utf8');
    for (const file of files) if (file !== 'LICENSE.md') expect(licence).toContain(`# ${file}`);
    expect(files.reduce((sum, file) => sum + statSync(join(data, file)).size, 0)).toBeLessThan(100_000);
  }
});

interface Lock {
  packages: Record<string, { version?: string }>;
}

it.each(readdirSync(EXAMPLES).filter((name) => !name.includes('.')))(
  'the packages that %s pins for buyers to read are those that it runs with',
  (slug) => {
    const read = (folder: string) =>
      JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
    const ours = read(join(EXAMPLES, '../..')).packages;
    const { '': own, ...pinned } = read(join(EXAMPLES, slug)).packages;
    expect(own).toBeDefined();
    for (const [path, { version }] of Object.entries(pinned))
      expect({ path, version }).toEqual({ path, version: ours[path]?.version });
  },
);

it('takes a long list as a job, and calls its progress and its answer back, signed', async () => {
  const messages: { type: string }[] = [];
  const marketplace = createServer((request, response) => {
    void text(request).then((body) => {
      const headers = request.headers as Record<string, string>;
      messages.push(new Webhook(SECRET).verify(body, headers) as { type: string });
      response.writeHead(202).end();
      marketplace.emit('message');
    });
  }).listen(0, '127.0.0.1');
  await once(marketplace, 'listening');
  const { port } = marketplace.address() as AddressInfo;
  const { url } = await startDemonstration('factor-finder', { SIGNING_SECRET: SECRET });
  const body = JSON.stringify({ numbers: Array.from({ length: 8 }, (_one, index) => index + 1) });
  const signed = {
    'webhook-id': 'inv_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('inv_1', new Date(), body),
  };
  const headers = { ...signed, 'x-callback-url': `http://127.0.0.1:${port}/` };
  expect((await post(`${url}/invoke`, body, headers)).status).toBe(202);
  while (messages.at(-1)?.type !== 'answer') await once(marketplace, 'message');
  marketplace.close();
  expect(messages[0]).toMatchObject({
    type: 'progress',
    message: expect.stringMatching(/^Factored \d of 8/),
  });
  expect(messages.at(-1)).toMatchObject({ output: { results: { length: 8, 7: { factors: [2, 2, 2] } } } });
}, 20_000);
