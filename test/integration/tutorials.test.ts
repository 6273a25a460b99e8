/** The README and the tutorials do what they say: every command and request on them, in order, on a fresh market. */
import { writeFileSync } from 'node:fs';
import { freePort } from '../../src/runtime/processes/processes';
import {
  agrees,
  blocksOf,
  pageFolder,
  runPage,
  startShell,
  type PageFolder,
  type PageShell,
} from '../support/documents';
import { startMarket, type TestMarket } from '../support/market';

/** In the order of a reader: the others call the agents of the first. */
const PAGES = [
  'docs/tutorials/sell-your-agent.md',
  'docs/tutorials/buy-with-a-program.md',
  'docs/tutorials/connect-an-assistant.md',
  'docs/tutorials/let-agents-pay-agents.md',
];
/** An address that only this process has, for the agents of the pages. */
const HOST = `127.77.${1 + ((process.pid >> 8) % 250)}.${1 + (process.pid % 250)}`;
const ownHost = (text: string) => text.replaceAll('127.77.0.5', HOST);

let market: TestMarket;
let folder: PageFolder;
let shell: PageShell;

beforeAll(async () => {
  folder = await pageFolder();
  const port = String(await freePort());
  const env = { PORT: port, PUBLIC_ORIGIN: `http://127.0.0.1:${port}`, MAIL_URL: `sandbox:${folder.mails}` };
  market = await startMarket({ env, ownNamespace: true });
  writeFileSync(folder.runtimeFile, JSON.stringify({ api_url: market.url }));
  shell = startShell(folder.clone);
});

afterAll(async () => {
  await shell.end();
  await market.stop();
  folder.remove();
});

it.each(PAGES)('%s runs', async (page) => {
  await shell.run(`cd ${folder.clone}`);
  const { problems, ran } = await runPage(page, shell, ownHost);
  expect(problems.join('\n')).toBe('');
  expect(ran).toBeGreaterThan(0);
});

it('notices what differs, and takes ids and times for what they are', () => {
  expect(agrees('{"words": 6}', '{"words":7}')).toBe(false);
  expect(agrees('{"words": 6, …}', '{"words":6,"more":1}\n')).toBe(true);
  expect(agrees('{"trace_id": "0190b5c2f1e07c0e8a1b2c3d4e5f6a7b"}', '{"trace_id":"none"}')).toBe(false);
  expect(
    agrees(
      '{"call_id": "inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b", "at": "2026-11-02T09:12:44.000Z"}',
      '{"call_id":"inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7c","at":"2027-01-02T03:04:05.678Z"}',
    ),
  ).toBe(true);
});

it('notices commands that fail, requests that are refused, and blocks that are not run without a reason', async () => {
  const failing = await shell.run('true\nfalse\ntrue');
  const refused = await shell.run(`curl -s ${market.url}/v1/auth/me`);
  expect([failing.failed, refused.failed.includes('curl')]).toEqual(['false', true]);
  const page = [
    '```sh',
    'a',
    '```',
    '_Not run by the test of this page: it costs money._',
    '',
    '```sh',
    'b',
    '```',
  ];
  expect(blocksOf(page.join('\n')).map(({ kind }) => kind)).toEqual(['run', 'skipped']);
});
