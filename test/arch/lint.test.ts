import { createFixture, type Fixture } from './fixture';

const LONG_FUNCTION = `export function long(): number {\n${'  void 0;\n'.repeat(70)}  return 1;\n}\n`;
const LONG_FILE = `export const x = [\n${'  1,\n'.repeat(300)}];\n`;

/** What the linter must find: file, text, and the rule that it breaks (or none). */
const CASES: [file: string, text: string, rule: string | undefined][] = [
  ['src/services/global-fetch.ts', `export const x = fetch('https://a.example');\n`, 'no-restricted-globals'],
  ['src/api/this-fetch.ts', `export const x = globalThis.fetch('https://a.example');\n`, 'no-restricted-properties'],
  ['src/services/web-socket.ts', `export const x = new WebSocket('wss://a.example');\n`, 'no-restricted-globals'],
  ['src/services/imports-undici.ts', `import { request } from 'undici';\nexport const x = request;\n`, 'no-restricted-imports'],
  ['src/api/imports-request.ts', `import { request } from 'node:https';\nexport const x = request;\n`, 'no-restricted-imports'],
  ['src/api/imports-get.ts', `import { get } from 'http';\nexport const x = get;\n`, 'no-restricted-imports'],
  ['src/api/imports-http.ts', `import http from 'node:http';\nexport const x = http.request('http://a.example');\n`, 'no-restricted-imports'],
  ['src/api/imports-all-of-http.ts', `import * as http from 'node:http';\nexport const x = http.request('http://a.example');\n`, 'no-restricted-imports'],
  ['src/api/makes-server.ts', `import { createServer } from 'node:http';\nexport const x = createServer;\n`, undefined],
  ['src/egress/imports-undici.ts', `import { request } from 'undici';\nexport const x = request;\n`, undefined],
  ['src/services/fetch-as-value.ts', `export const x = { client: fetch };\n`, 'no-restricted-globals'],
  ['src/cli/cli-fetch.ts', `export const x = (): Promise<Response> => fetch('http://127.0.0.1:4000');\n`, 'no-restricted-globals'],
  ['src/workers/global-fetch.ts', `export const x = global.fetch('https://a.example');\n`, 'no-restricted-properties'],
  ['src/api/bracket-fetch.ts', `export const x = globalThis['fetch']('https://a.example');\n`, 'no-restricted-properties'],
  ['src/api/takes-fetch.ts', `export const { fetch: x } = globalThis;\n`, 'no-restricted-properties'],
  ['src/activities/imports-axios.ts', `import axios from 'axios';\nexport const x: unknown = axios;\n`, 'no-restricted-imports'],
  ['src/services/imports-mcp-client.ts', `import { Client } from '@modelcontextprotocol/client';\nexport const x: unknown = Client;\n`, 'no-restricted-imports'],
  ['src/api/imports-client-request.ts', `import { ClientRequest } from 'node:http';\nexport const x = new ClientRequest('http://a.example');\n`, 'no-restricted-imports'],
  ['src/api/imports-http2.ts', `import { connect } from 'node:http2';\nexport const x = connect;\n`, 'no-restricted-imports'],
  ['src/services/imports-later.ts', `export const x = async (): Promise<unknown> => import('node:https');\n`, 'no-restricted-syntax'],
  ['src/services/imports-undici-later.ts', `export const x = async (): Promise<unknown> => import('undici');\n`, 'no-restricted-syntax'],
  ['src/services/requires.ts', `export const x: unknown = require('node:https');\n`, '@typescript-eslint/no-require-imports'],
  ['src/services/asks-process.ts', `export const x: unknown = process.getBuiltinModule('https');\n`, 'no-restricted-properties'],
  ['src/runtime/calls-others.ts', `export const x = (): Promise<Response> => fetch('https://a.example');\n`, 'no-restricted-globals'],
  ['src/runtime/demonstration/api-client.ts', `export const x = (): Promise<Response> => fetch('http://127.0.0.1:4000');\n`, undefined],
  ['src/cli/api-client.ts', `export const x = (): Promise<Response> => fetch('https://market.example');\n`, undefined],
  ['src/egress/sends.ts', `import { request } from 'node:https';\nexport const x = request;\n`, undefined],
  ['src/services/joins-signals.ts', `export const x = (s: AbortSignal): AbortSignal => AbortSignal.any([s, AbortSignal.timeout(9)]);\n`, 'no-restricted-syntax'],
  ['src/services/floating.ts', `export function go(): void {\n  Promise.resolve(1);\n}\n`, '@typescript-eslint/no-floating-promises'],
  ['src/services/misused.ts', `export const x = [1].filter(async () => Promise.resolve(true));\n`, '@typescript-eslint/no-misused-promises'],
  ['src/services/unsafe.ts', `export const x: number = JSON.parse('1');\n`, '@typescript-eslint/no-unsafe-assignment'],
  ['src/services/long-function.ts', LONG_FUNCTION, 'max-lines-per-function'],
  ['src/services/long-file.ts', LONG_FILE, 'max-lines'],
  ['src/services/CamelCase.ts', `export const x = 1;\n`, 'house/kebab-case-file'],
  ['src/services/snake_case.ts', `export const x = 1;\n`, 'house/kebab-case-file'],
  ['src/services/kebab-case.ts', `export const x = 1;\n`, undefined],
  ['src/domain/riddle.ts', `/** Nobody is told. */\nexport const x = 1;\n`, 'house/plain-english'],
  ['src/domain/plain.ts', `/** Untrusted text; no caller is notified. */\nexport const x = 1;\n`, undefined],
  ['src/domain/names.ts', `export const told = 'Nobody';\n`, undefined],
  ['src/domain/riddle.test.ts', `it('tells nobody', () => undefined);\n`, 'house/plain-test-name'],
  ['src/domain/row.test.ts', `it.each([1])('%s is none', () => undefined);\n`, 'house/plain-test-name'],
  ['src/domain/plain.test.ts', `it('notifies the owner', () => undefined);\n`, undefined],
  ['src/domain/wide.ts', `// ${'word '.repeat(24)}end\nexport const x = 1;\n`, 'house/comment-width'],
  ['src/domain/wide-block.ts', `/**\n * ${'word '.repeat(24)}\n */\nexport const x = 1;\n`, 'house/comment-width'],
  ['src/domain/not-wide.ts', `// ${'word '.repeat(23)}\n//| ${'cell | '.repeat(30)}\nexport const x = 1;\n`, undefined],
  ['src/domain/long-line.ts', `export const x = [1,2]; // prettier-ignore\n`, 'house/formatted-code'],
  ['src/domain/table.ts', `export const x = [\n  [1, 2],\n]; // prettier-ignore\n`, undefined],
  ['src/services/default-export.ts', `export default 1;\n`, 'no-restricted-syntax'],
  ['src/services/barrel.ts', `export * from './kebab-case';\n`, 'no-restricted-syntax'],
  ['src/services/enumeration.ts', `export enum Colour {\n  Red,\n}\n`, 'no-restricted-syntax'],
  ['src/services/i-prefix.ts', `export interface IThing {\n  a: number;\n}\n`, 'no-restricted-syntax'],
  ['src/services/value-import.ts', `import { X } from './has-type';\nexport const x: X = 1;\n`, '@typescript-eslint/consistent-type-imports'],
  ['src/stores/rounds-time.ts', `export const x = (at: Date, ms: number): Date => new Date(at.getTime() + ms);\n`, 'no-restricted-syntax'],
  ['src/stores/writes-time.ts', `interface Db { query(text: string, values: string[]): unknown }\nexport const x = (db: Db, at: Date): unknown => db.query('SELECT $1', [at.toISOString()]);\n`, 'no-restricted-syntax'],
  ['src/stores/passes-time.ts', `interface Db { query(text: string, values: Date[]): unknown }\nexport const x = (db: Db, at: Date): unknown => db.query('SELECT $1', [at]);\n`, undefined],
  ['src/api/rounds-position.ts', `export const x = { position: (row: { at: Date }): string[] => [row.at.toISOString()] };\n`, 'no-restricted-syntax'],
  ['src/services/has-type.ts', `export type X = number;\n`, undefined],
  ['src/services/forgotten-case.ts', `export function f(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      break;\n  }\n}\n`, '@typescript-eslint/switch-exhaustiveness-check'],
  ['src/kit/sleeps.test.ts', `import { setTimeout as sleep } from 'node:timers/promises';\nit('x', async () => sleep(9));\n`, 'no-restricted-imports'],
  ['src/kit/all-timers.test.ts', `import * as timers from 'node:timers/promises';\nit('x', async () => timers.setTimeout(9));\n`, 'no-restricted-imports'],
  ['src/kit/turns.test.ts', `import { setImmediate as turn } from 'node:timers/promises';\nit('x', async () => turn());\n`, undefined],
  ['test/integration/timer.test.ts', `it('x', (done) => void setTimeout(done, 9));\n`, 'no-restricted-syntax'],
  ['test/support/global-timer.ts', `export const x = (done: () => void): unknown => globalThis.setTimeout(done, 9);\n`, 'no-restricted-syntax'],
  ['test/support/waits.ts', `import { setTimeout as sleep } from 'node:timers/promises';\nexport const x = sleep;\n`, undefined],
  ['test/integration/limit.test.ts', `jest.setTimeout(9);\n`, undefined],
  ['console/src/pages/name.tsx', `export const X = ({ one }: { one: { display_name: string } }) => <b>{one.display_name}</b>;\n`, 'house/written-text'],
  ['console/src/pages/own-name.tsx', `export const X = ({ name }: { name?: string }) => <b>{name ?? 'None'}</b>;\n`, 'house/written-text'],
  ['console/src/pages/sentence.tsx', `export const X = ({ one }: { one: { display_name: string } }) => <b title={\`Try \${one.display_name}\`} />;\n`, 'house/written-text'],
  ['console/src/pages/quoted.tsx', `export const x = (name: string): string => \`The key "\${name}" ends.\`;\n`, 'house/written-text'],
  ['console/src/pages/apart.tsx', `export const X = ({ one }: { one: { display_name: string } }) => <bdi>{one.display_name}</bdi>;\n`, undefined],
  ['console/src/pages/by-itself.tsx', `export const X = ({ one }: { one: { reason: string; explanation: string } }) => <p dir="auto">{one.explanation}</p>;\n`, undefined],
  ['console/src/pages/condition.tsx', `export const X = ({ statement }: { statement?: string }) => <div>{statement && <p dir="auto">{statement}</p>}</div>;\n`, undefined],
  ['console/src/pages/file-name.tsx', `export const x = (name: string): string => \`\${name}.csv\`;\n`, undefined],
]; // prettier-ignore

let fixture: Fixture;
let found: Map<string, (string | null)[]>;

beforeAll(async () => {
  fixture = createFixture(Object.fromEntries(CASES.map(([file, text]) => [file, text])));
  const output = await fixture.run('eslint/bin/eslint.js', [
    '--format',
    'json',
    'src',
    'test',
    'console/src',
  ]);
  const reports = JSON.parse(output) as { filePath: string; messages: { ruleId: string | null }[] }[];
  found = new Map(
    reports.map(({ filePath, messages }) => [
      filePath.slice(fixture.folder.length + 1),
      messages.map(({ ruleId }) => ruleId),
    ]),
  );
}, 60_000);

afterAll(() => fixture.remove());

it.each(CASES)('%s', (file, _text, rule) => {
  const rules = found.get(file);
  if (rule) expect(rules).toContain(rule);
  else expect(rules).toEqual([]);
});
