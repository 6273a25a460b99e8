/** `market` as developers and buyers run it. Where a process is what is tested, a command has one of its own. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unpackBundle } from '../../../src/kit/archives/bundle';
import { testManifest } from '../../support/agents/manifest';
import { startAgent } from '../../support/agents/test-agent';
import { CHAT_SCHEMAS } from '../../support/calls/chat';
import { makeKey } from '../../support/accounts/keys';
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import { eventually, putLive, register, type TestUser } from '../../support/market'; // prettier-ignore
import { registerDeveloper, request, type TestDeveloper } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const PASSWORD = 'correct horse battery';

const market = useMarket({});
const agent = useAgent();
let developer: TestDeveloper;
let buyer: TestUser;
let asDeveloper: MarketCommand;
let asBuyer: MarketCommand;

beforeAll(async () => {
  developer = await registerDeveloper(market);
  buyer = await register(market, 'buyer', 1_000);
  asDeveloper = marketCommand(market.url);
  asBuyer = marketCommand(market.url);
  const login = (command: MarketCommand, { email }: TestUser) =>
    command.runAlone(['login', '--email', email, '--password-stdin'], { input: `${PASSWORD}\n` });
  const logins = await Promise.all([login(asDeveloper, developer), login(asBuyer, buyer)]);
  expect(logins.map(({ code, stderr }) => [code, stderr])).toEqual([[0, ''], [0, '']]); // prettier-ignore
});
afterAll(async () => {
  asDeveloper.remove();
  asBuyer.remove();
});

/** An agent's folder with these files besides its manifest. */
function folder(name: string, manifest: object, files: Record<string, string> = {}): string {
  const root = join(asDeveloper.folder, name);
  const all = { 'manifest.json': JSON.stringify(manifest, null, 2), ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('log-in', () => {
  it('keeps the session in a file that only its user can read, and shows who is logged in', async () => {
    const file = join(asBuyer.folder, 'config/sessions.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const who = await asBuyer.run(['whoami', '--json']);
    expect(who.json()).toMatchObject({ email: buyer.email, role: 'buyer', api_url: market.url });
  });

  it('ends the session with logout, and then asks for a log-in', async () => {
    const person = await register(market, 'buyer');
    const command = marketCommand(market.url);
    await command.run(['login', '--email', person.email, '--password-stdin'], { input: PASSWORD });
    expect(await command.run(['logout'])).toMatchObject({ code: 0 });
    expect(await command.run(['whoami'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('market login') as string,
    });
    command.remove();
  });

  it('refuses a wrong password, and keeps nothing', async () => {
    const command = marketCommand(market.url);
    const wrong = await command.run(['login', '--email', buyer.email, '--password-stdin', '--json'], {
      input: 'wrong horse battery',
    });
    expect(wrong.code).toBe(3);
    expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'invalid_credentials', status: 401 });
    expect(existsSync(join(command.folder, 'config/sessions.json'))).toBe(false);
    command.remove();
  });

  it('sends no password to another machine without TLS', async () => {
    const refused = await asBuyer.run(['login', '--api', 'http://192.0.2.1', '--email', 'a@example.org', '--password-stdin'], { input: 'x' }); // prettier-ignore
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must use https://') as string,
    });
  });
});

describe('publish', () => {
  it('packs the files that are not ignored, sets the author, follows the verification and shows the report', async () => {
    const manifest = { ...testManifest(agent.url, { agentId: 'cli-echo' }), author: 'dev_somebody-else' };
    const root = folder('cli-echo', manifest, {
      '.gitignore': '*.log\nbuild/\n',
      '.marketignore': 'notes.md\n',
      'index.js': 'export const echo = (input) => input;\n',
      'lib/deep/er.js': 'export {};\n',
      'build/out.js': 'no\n',
      'lib/run.log': 'no\n',
      'notes.md': 'no\n',
      '.env': 'SECRET=no\n',
      'node_modules/x/index.js': 'no\n',
    });
    const published = await asDeveloper.run(['publish', root]);
    expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('agt_cli_echo_v1 1.0.0 is live.') as string }); // prettier-ignore
    expect(published.stdout).toMatch(/agt_cli_echo_v1 1\.0\.0: \d+ of 100/);
    expect(published.stdout).toMatch(/ {2}dynamic testing +\d+ \/ 30/);
    expect(published.stderr).toContain(`packed 5 files`);
    expect(published.stderr).toContain(`by ${developer.developerId}`);
    expect(published.stderr).toMatch(/ s {2}live\n/);
    const { rows } = await market.owner.query<{ bundle: Buffer; author: string }>(
      `SELECT bundle, manifest::jsonb ->> 'author' AS author FROM agent_bundles JOIN agent_versions USING (version_id)
       WHERE agent_id = 'agt_cli_echo_v1'`,
    );
    const unpacked = unpackBundle(rows[0]?.bundle ?? Buffer.alloc(0));
    expect(unpacked.ok && unpacked.files.map(({ path }) => path)).toEqual([
      '.gitignore', '.marketignore', 'index.js', 'lib/deep/er.js', 'manifest.json',
    ]); // prettier-ignore
    expect(rows[0]?.author).toBe(developer.developerId);

    const [again, report, found] = await Promise.all([
      asDeveloper.run(['publish', root, '--json']),
      asBuyer.run(['trust', 'cli-echo', '--json']),
      asBuyer.run(['trust', 'agt_cli_echo_v1', '--history']),
    ]);
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stderr)).toMatchObject({ code: 'version_not_higher' });
    expect(report.json()).toMatchObject({ agent_id: 'agt_cli_echo_v1', version: '1.0.0' });
    expect(found.stdout).toMatch(/^20\S+Z +\d+ .* 1\.0\.0\n$/);
  });

  it('refuses what breaks buyers of the version that serves, unless --breaking is given', async () => {
    const given = testManifest(agent.url, { agentId: 'cli-echo', version: '1.0.1', credits: 11 });
    const schema = { ...given.input_schema, required: ['text', 'n'] };
    const root = folder('cli-echo-next', { ...given, input_schema: schema });
    const [refused, checked, accepted, major] = await Promise.all([
      asDeveloper.run(['publish', root, '--json']),
      asDeveloper.run(['validate', root]),
      asDeveloper.run(['validate', root, '--breaking']),
      asDeveloper.run([
        'validate',
        folder('cli-echo-two', { ...given, version: '2.0.0', input_schema: schema }),
      ]),
    ]);
    const found = refused.json<{ problems: { path: string; type: string }[] }>().problems;
    expect([refused.code, found.map(({ path, type }) => `${type} ${path}`)]).toEqual([
      1,
      ['breaking_change pricing.credits_per_call', 'breaking_change input_schema.properties.n'],
    ]);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(
      'pricing.credits_per_call rises from 10 to 11 since 1.0.0, which can break buyers',
    );
    expect(checked.stdout).toMatch(/input_schema\.properties\.n is now required.*\n.*raise the major number/);
    expect([accepted.code, major.code]).toEqual([0, 0]);
    expect(accepted.stdout).toMatch(/can be published\.\naccepted: pricing\.credits_per_call rises/);
    const draft = await asDeveloper.run(['publish', root, '--breaking', '--draft']);
    expect(draft).toMatchObject({ code: 0, stdout: expect.stringContaining('is draft') as string });
  });

  it('refuses examples that contradict a schema, in the command and in the marketplace', async () => {
    const examples = [
      { input: { text: 'a' }, output: { text: 'a' } },
      { input: { text: 1 }, output: { words: 1 } },
      { input: { text: 'b' }, output: { n: 1 }, match: 'subset' },
    ];
    const manifest = { ...testManifest(agent.url, { agentId: 'cli-examples' }), examples };
    const root = folder('cli-examples', manifest);
    const checked = await asBuyer.run(['validate', root, '--json']);
    const { problems } = checked.json<{ problems: { path: string; message: string; line: number }[] }>();
    expect([checked.code, problems.map(({ path, message }) => `${path} ${message}`)]).toEqual([
      1,
      [
        'examples.1.input.text must be string, by input_schema',
        "examples.1.output.text must have required property 'text', by output_schema",
        'examples.1.output.words must NOT have additional properties, by output_schema',
      ],
    ]);
    expect(problems.every(({ line }) => line > 1)).toBe(true);
    const sent = await request(market, developer, 'POST', '/v1/developer/agents', {
      manifest,
      submit: false,
    });
    expect([
      sent.status,
      (sent.body as { detail: { type: string }[] }).detail.map(({ type }) => type),
    ]).toEqual([422, ['example_mismatch', 'example_mismatch', 'example_mismatch']]);
  });

  it('says what it waits for: an agent that does not exist, or the reason of a rejection', async () => {
    const missing = await asDeveloper.run(['agents', 'wait', 'cli-eco', '--timeout', '1']);
    expect(missing.code).toBe(4);
    expect(missing.stderr).toMatch(
      /no agent of yours is named cli-eco \(yours are .*cli-echo.*\): waiting, at most 1 s/,
    );
    const leaky = testManifest(agent.url, { agentId: 'cli-rejected' });
    const leak = `export const key = '${'ghp' + '_R7kQ2mVx9LtB4nWc8ZsD1fHj6pYa3eGu5oTi'}';\n`;
    const sent = await asDeveloper.run([
      'publish',
      folder('cli-rejected', leaky, { 'config.mjs': leak }),
      '--no-wait',
    ]);
    expect(sent.code).toBe(0);
    const rejected = await asDeveloper.run(['agents', 'wait', 'cli-rejected', '--timeout', '50']);
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toMatch(/agt_cli_rejected_v1 1\.0\.0 is (submitted|verifying): waiting/);
    expect(rejected.stdout).toMatch(
      /agt_cli_rejected_v1 1\.0\.0 is rejected: \S.*\n *next: market findings list agt_cli_rejected_v1/,
    );
    const verbs = [['trust'], ['agents', 'show'], ['agents', 'usage'], ['agents', 'findings'], ['open']];
    const own = await Promise.all(verbs.map((words) => asDeveloper.run([...words, 'cli-rejected'])));
    expect(own.map(({ code, stderr }) => [code, stderr])).toEqual(verbs.map(() => [0, '']));
    expect(own[1]?.stdout).toMatch(/^latest +1\.0\.0 rejected$/m);
    expect(own[1]?.stdout).not.toMatch(/[{}]|whsec_/);
    expect(own[2]?.stdout).toMatch(/^calls +0: 0 succeeded, 0 failed, 0 disputed$/m);
    const version = await asDeveloper.run(['agents', 'version', 'cli-rejected', '1.0.0']);
    expect(version.stdout).toMatch(/^price +\d+ credits$/m);
    expect((await asBuyer.run(['trust', 'cli-rejected'])).stderr).toContain(
      'no agent has the slug cli-rejected',
    );
  });

  it('names every problem with its line before anything is sent', async () => {
    const manifest = { ...testManifest(agent.url, { agentId: 'cli-wrong' }), tags: 'none', categry: 'other' };
    const root = folder('cli-wrong', manifest);
    const [refused, checked] = await Promise.all([
      asDeveloper.run(['publish', root, '--json']),
      asBuyer.run(['validate', root]),
    ]);
    expect(refused.code).toBe(1);
    const { problems } = refused.json<{ problems: { path: string; line: number; fix: string }[] }>();
    expect(problems.map(({ path, line }) => [path, line])).toEqual([['tags', 9], ['categry', expect.any(Number)]]); // prettier-ignore
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(`${join(root, 'manifest.json')}:9:3  tags must be array`);
    expect(checked.stdout).toContain('fix: rename it to "category"');
    expect((await market.owner.query(`SELECT FROM slugs WHERE slug = 'cli-wrong'`)).rowCount).toBe(0);
  });

  it('scans a folder before it is published, as the marketplace will', async () => {
    const root = folder('cli-scanned', testManifest('https://agent.example.com', { agentId: 'cli-scanned' }));
    const clean = await asBuyer.run(['verify', root, '--json']);
    expect(clean.code).toBe(0);
    expect(clean.json<object>()).toMatchObject({ stages: { static_analysis: { max: 25 } } });
    writeFileSync(
      join(root, 'config.mjs'),
      `export const key = '${'ghp' + '_R7kQ2mVx9LtB4nWc8ZsD1fHj6pYa3eGu5oTi'}';\n`,
    );
    const leaking = await asBuyer.run(['verify', root]);
    expect(leaking.code).toBe(1);
    expect(leaking.stdout).toMatch(
      /critical: .*config\.mjs, line 1\.\n {4}risk: .+\n {4}fix: Revoke .+\n {4}costs: \d+ points\n/,
    );
  });

  it('reports problems that only the marketplace finds in the same form', async () => {
    const root = folder('cli-private', testManifest('https://127.78.0.1:9443', { agentId: 'cli-private' }));
    const refused = await asDeveloper.run(['publish', root, '--no-bundle']);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/manifest\.json:\d+:5 {2}endpoint\.url .*\n {4}fix: use the public https/);
  });

  it('ends with 1 and the reason when the version is rejected', async () => {
    const broken = await startAgent({ behaviour: { kind: 'wrong_shape' } });
    const root = folder('cli-broken', testManifest('https://agent.example.com', { agentId: 'cli-broken' }));
    const rejected = await asDeveloper.run(['publish', root, '--endpoint', broken.url, '--json']);
    await broken.stop();
    expect(rejected.code).toBe(1);
    expect(rejected.json()).toMatchObject({
      agent_id: 'agt_cli_broken_v1',
      status: 'rejected',
      reject_reason: expect.any(String) as string,
    });
  });

  it('sends nothing in a dry run', async () => {
    const root = folder('cli-dry', testManifest(agent.url, { agentId: 'cli-dry' }));
    const dry = await asDeveloper.run(['publish', root, '--dry-run', '--json'], { env: { MARKET_API_URL: 'http://127.0.0.1:1' } }); // prettier-ignore
    expect(dry.json()).toMatchObject({ valid: true, sent: false, files: [{ path: 'manifest.json' }] });
  });

  it('moves the clock of the verification by 90 days, which runs it once more', async () => {
    const runs = async () => {
      const sql = `SELECT FROM verification_runs WHERE agent_id = 'agt_cli_echo_v1' AND finished_at IS NOT NULL`;
      return (await market.owner.query(sql)).rowCount;
    };
    expect(await runs()).toBe(1);
    const env = {
      TEMPORAL_ADDRESS: market.temporal.address,
      TEMPORAL_NAMESPACE: market.temporal.namespace,
    };
    const travelled = await asDeveloper.run(['time-travel', 'agt_cli_echo_v1', '91d', '--json'], { env });
    expect(travelled.json()).toEqual({
      workflow_id: 'verification/agt_cli_echo_v1',
      duration_ms: 91 * 86_400_000,
      state: 'running',
    });
    await eventually(async () => (await runs()) === 2, 30_000);
    const nobody = await asDeveloper.run(['time-travel', 'agt_nobody_v1', '1d'], { env });
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('is not running') as string });
    const slash = await asDeveloper.run(['time-travel', 'slh_0190', '1d'], { env });
    expect(slash.stderr).toContain('slash/slh_0190 is not running');
  });
});

describe('a buyer', () => {
  let agentId: string;
  beforeAll(async () => {
    const options = {
      agentId: 'cli-live',
      inputSchema: { type: 'object', required: ['text'], examples: [{ text: 'shown' }] },
    };
    agentId = (await putLive(market, developer.userId, agent.url, options)).agentId;
  });

  it('finds an agent, calls it by its slug and pays its price', async () => {
    const [found, called, piped, keyed] = await Promise.all([
      asBuyer.run(['listings', 'echo', '--max-price', '10', '--limit', '100']),
      asBuyer.run(['invoke', 'cli-live', '{"text": "hello"}', '--max-cost', '10']),
      asBuyer.runAlone(['invoke', agentId, '-', '--json'], { input: '{"text": "from a pipe", "n": 3}' }),
      makeKey(market, buyer, { scopes: ['agents:invoke', 'agents:read'] }).then(({ key }) =>
        marketCommand(market.url, { MARKET_API_KEY: key }).run(['invoke', agentId, '--example', '--json']),
      ),
    ]);
    expect(found.stdout).toMatch(/agt_cli_live_v1 +Echo agent +other +10 /);
    expect(JSON.parse(called.stdout)).toEqual({ text: 'hello' });
    expect(called.stderr).toMatch(/^10 credits, \d+ ms, inv_[0-9a-f]{32}\n$/);
    expect(piped.json()).toMatchObject({
      output: { text: 'from a pipe', n: 3 },
      usage: { credits_charged: 10 },
    });
    expect(keyed.json()).toMatchObject({ output: { text: 'shown' } });
  });

  it('gets an exit code and a reason when a call is refused', async () => {
    const [mismatch, dear, unknown, later, usage, sort, limit] = await Promise.all([
      asBuyer.run(['invoke', agentId, '{"txt": 1}', '--json']),
      asBuyer.run(['invoke', agentId, '{"text": "x"}', '--max-cost', '1']),
      asBuyer.run(['invoke', 'nobody', '{}']),
      asBuyer.runAlone(['listings', '--json'], { env: { MARKET_API_URL: 'http://127.0.0.1:1' } }),
      asBuyer.runAlone(['invoke', agentId, '{"text": "x"}', '--max-price', '1']),
      asBuyer.run(['listings', '--sort', 'cheapest']),
      asBuyer.run(['invocations', 'list', '--limit', '1000', '--json']),
    ]);
    expect([mismatch.code, sort.code, limit.code]).toEqual([1, 2, 2]);
    expect(JSON.parse(mismatch.stderr)).toMatchObject({
      ...{ code: 'input_schema_mismatch', status: 422, detail: [{ loc: ['body', 'input', 'text'] }] },
      next: `market listings show ${agentId}`,
    });
    expect(dear).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('max_cost_credits') as string }); // prettier-ignore
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no agent has the slug nobody') as string }); // prettier-ignore
    expect(later.code).toBe(4);
    expect(JSON.parse(later.stderr)).toMatchObject({ code: 'unreachable' });
    expect(usage).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown option') as string });
  });

  it('reads what an agent takes, answers and costs before it calls it', async () => {
    const [shown, record, searched] = await Promise.all([
      asBuyer.run(['listings', 'show', 'cli-live']),
      asBuyer.run(['listings', 'show', agentId, '--json']),
      asBuyer.run(['listings', 'shows']),
    ]);
    expect(shown.stdout).toMatch(/^price +10 credits, at most 0\.1 USD a call$/m);
    expect(shown.stdout).toMatch(/^Input: \{.*"required":\["text"\]/m);
    expect(shown.stdout).toContain(`market invoke ${agentId} '{"text":"shown"}'`);
    expect(record.json()).toMatchObject({ agent_id: agentId, examples: [{ text: 'shown' }] });
    expect(searched).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads after how long a call failed, and that nothing was charged', async () => {
    const broken = await startAgent({ behaviour: { kind: 'status', status: 500 } });
    await putLive(market, developer.userId, broken.url, { agentId: 'cli-failing' });
    const failed = await asBuyer.run(['invoke', 'cli-failing', '{"text": "x"}']);
    broken.behave({ kind: 'answer', status: 422, output: { error: { message: 'x is no unit' } } });
    const refused = await asBuyer.run(['invoke', 'cli-failing', '{"text": "x"}']);
    await broken.stop();
    expect(refused.stderr).toMatch(
      /The agent says: x is no unit\. After \d+\.\d s; nothing was charged; inv_/,
    );
    expect(failed.stderr).toMatch(/After \d+\.\d s; nothing was charged; inv_[0-9a-f]{32}\n/);
  });

  it('reads the words of a turn, and continues the conversation line by line', async () => {
    const parts = ['data: "Forty-"\n\n', 'data: "two."\n\n'];
    const talker = await startAgent({
      behaviour: { kind: 'stream', contentType: 'text/event-stream', parts: () => parts },
    });
    await putLive(market, developer.userId, talker.url, { ...CHAT_SCHEMAS, agentId: 'cli-talker' });
    const once = await asBuyer.run(['chat', 'cli-talker', 'How far?']);
    expect(once).toMatchObject({ code: 0, stdout: 'Forty-two.\n' });
    expect(once.stderr).toMatch(/10 credits, \d+ ms, inv_\w+, ses_\w+/);
    const lines = await asBuyer.run(['chat', 'cli-talker', '--json'], { input: 'One?\n\nTwo?\n' });
    expect(lines.json()).toMatchObject({ credits_charged: 20, turns: [{ output: 'Forty-two.' }, {}] });
    const said = JSON.parse(String(talker.deliveries.at(-1)?.body)) as { messages: { content: string }[] };
    expect(said.messages.map(({ content }) => content)).toEqual(['One?', 'Forty-two.', 'Two?']);
    talker.behave({ kind: 'status', status: 500 });
    const failed = await asBuyer.run(['chat', 'cli-talker', 'And now?', '--json']);
    await talker.stop();
    expect(failed.code).toBe(4);
    expect(JSON.parse(failed.stderr)).toMatchObject({
      code: 'agent_error',
      error: expect.stringMatching(/After \d+\.\d s; nothing was charged; inv_[0-9a-f]{32}/),
    });
  });
});
