/** A first paid call with the command line alone, and the messages for mistakes. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHeldAgent } from '../../support/agents/held-agent';
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import { makeKey } from '../../support/accounts/keys';
import { newSlug } from '../../support/names';
import { marketAtTerminal } from '../../support/cli/terminal';
import { answersOf, callBack, type JobAgent, newJobAgent } from '../../support/jobs/question-agent';
import { jobOf } from '../../support/jobs/jobs';
import { eventually, putLive, register, type TestUser } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const PASSWORD = 'correct horse battery';

const market = useMarket();
const agent = useAgent();
let developer: TestUser;
let agentId: string;
let command: MarketCommand;

beforeAll(async () => {
  developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 }));
  command = marketCommand(market.url);
});
afterAll(async () => {
  command.remove();
});

const signUp = (as: MarketCommand, role: string) =>
  as.run(
    [
      ...['register', '--email', `${newSlug('cli')}@example.com`, '--role', role],
      ...['--password-stdin', '--json'],
    ],
    { input: `${PASSWORD}\n` },
  );

it('registers, buys credits, pays for a call and shows it with its invoice', async () => {
  expect((await signUp(command, 'buyer')).json()).toMatchObject({ role: 'buyer', api_url: market.url });
  expect(statSync(join(command.folder, 'config/sessions.json')).mode & 0o777).toBe(0o600);
  const bought = await command.run(['topup', '500', '--currency', 'INR']);
  expect(bought.stdout).toContain('500 credits (succeeded). The wallet has 500 credits.');
  const invoices = (await command.run(['invoices', '--json'])).json<{ items: { credits: number }[] }>();
  expect(invoices.items).toMatchObject([{ credits: 500 }]);

  const call = (await command.run(['invoke', agentId, '{"text": "hello"}', '--json'])).json();
  const listed = await command.run(['invocations', 'list']);
  expect(listed.stdout).toContain(String(call['invocation_id']));
  const receipt = await command.run(['invocations', 'receipt', String(call['invocation_id']), '--json']);
  expect(receipt.json()).toHaveProperty('receipt.credits_charged', 10);
  const wallet = await command.run(['api', 'GET', '/v1/billing/balance']);
  expect(JSON.parse(wallet.stdout)).toMatchObject({ available_credits: 490 });
});

it('begins a call without waiting, waits for its end, and cancels one that runs', async () => {
  const held = await startHeldAgent();
  const { agentId: heldId } = await putLive(market, developer.userId, held.url);
  const { key } = await makeKey(market, await register(market, 'buyer', 100));
  const run = (...args: string[]) => command.run(args, { env: { MARKET_API_KEY: key } });
  const detached = async (id: string) =>
    (await run('invoke', id, '{"text": "later"}', '--detach')).stdout.trim();
  const call = await detached(agentId);
  expect(call).toMatch(/^inv_[0-9a-f]{32}$/);
  const ended = await run('calls', 'wait', call, '--json');
  expect([ended.code, ended.json()]).toMatchObject([0, { status: 'succeeded', output: { text: 'later' } }]);
  const late = await run('invocations', 'cancel', call);
  expect([late.code, late.stderr]).toEqual([
    1,
    expect.stringContaining('The call has already ended: succeeded.'),
  ]);

  const running = await detached(heldId);
  const impatient = await run('invocations', 'wait', running, '--timeout', '1');
  expect([impatient.code, impatient.stderr]).toEqual([
    4,
    expect.stringContaining(`${running} still runs after 1 s`),
  ]);
  expect((await run('invocations', 'wait', running, '--timeout', '-1')).code).toBe(2);
  const canceled = await run('invocations', 'cancel', running, '--json');
  expect([canceled.code, canceled.json()]).toMatchObject([
    0,
    { status: 'failed', error: { code: 'canceled' } },
  ]);
  expect((await run('invocations', 'wait', running)).code).toBe(1);
  expect((await run('invocations', 'wait', 'inv_0190b5c2f1e07c0e8a1b2c3d4e5f6a7b')).code).toBe(1);
  held.release();
  await held.stop();
});

describe('what the agent of a job asks', () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', enum: ['pdf', 'html'] }, pages: { type: 'integer', minimum: 1 } },
    required: ['format'],
  };
  let job: JobAgent;
  let run: (...args: string[]) => ReturnType<MarketCommand['run']>;
  let env: Record<string, string>;
  let id: string;
  const ask = (question_id: string) =>
    callBack(market, job, id, { type: 'question', question_id, prompt: 'Which format?', schema });
  const answers = () => answersOf(job.agent).map(({ json }) => (json as { input: unknown }).input);

  beforeEach(async () => {
    job = await newJobAgent(market, developer.userId, {});
    const { key } = await makeKey(market, await register(market, 'buyer', 100));
    env = { MARKET_API_KEY: key };
    run = (...args) => command.run(args, { env });
    id = (await run('invoke', job.agentId, '{"text": "x"}', '--detach')).stdout.trim();
    await eventually(async () => (await jobOf(market.owner, id)) !== undefined);
  });
  afterEach(() => job.agent.stop());

  it('is answered by flags or JSON, and a wrong answer gets the problem of each field', async () => {
    expect(await run('invocations', 'answer', id)).toMatchObject({ code: 2 });
    await ask('first');
    const wrong = await run('invocations', 'answer', id, '--field', 'format=doc', '--field', 'pages=0');
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/format.*"pdf".*pages.*at least 1/s),
    ]);
    const both = await run('invocations', 'answer', id, '--field', 'format=pdf', '--input', '{}');
    const silent = await run('invocations', 'answer', id);
    expect([both.code, silent.code, silent.stderr]).toEqual([2, 2, expect.stringContaining('Which format?')]);
    const given = await run(
      'invocations',
      'answer',
      id,
      '--field',
      'format=pdf',
      '--field',
      'pages=3',
      '--json',
    );
    expect([given.code, given.json()]).toMatchObject([0, { status: 'running', job: { question: null } }]);
    await eventually(async () => Promise.resolve(answers().length === 1));
    await ask('second');
    expect((await run('invocations', 'answer', id, '--input', '{"format": "html"}')).code).toBe(0);
    await eventually(async () => Promise.resolve(answers().length === 2));
    expect(answers()).toEqual([{ format: 'pdf', pages: 3 }, { format: 'html' }]);
    const waiting = command.runAlone(['invocations', 'wait', id, '--json'], { env });
    await ask('third');
    await callBack(market, job, id, { type: 'answer', output: { text: 'done' } });
    expect((await waiting).json()).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
  });

  it('is asked at the terminal until it fits, and Ctrl-C asks whether to cancel', async () => {
    const terminal = marketAtTerminal(['invocations', 'wait', id], command.envOf({ env }));
    await ask('first');
    await terminal.type('doc\r', /Which format\?[^]*format \(pdf, html\): /);
    await terminal.type('\r', /pages, optional: /);
    await terminal.type('pdf\r', / {2}format: [^]*pdf[^]*format \(pdf, html\): /);
    await terminal.type('3\r', /pages, optional: /);
    await eventually(async () => Promise.resolve(answers().length === 1));
    expect(answers()).toEqual([{ format: 'pdf', pages: 3 }]);
    await terminal.type('\x03', /./);
    await terminal.type('y\r', /Cancel inv_\w+\? Otherwise it goes on/);
    expect(await terminal.ended).toBe(1);
    expect(terminal.shown()).toContain('canceled');
  });

  it('leaves the call running when Ctrl-C is answered with no', async () => {
    const terminal = marketAtTerminal(['invocations', 'wait', id], command.envOf({ env }));
    await ask('first');
    await terminal.type('\x03', /format \(pdf, html\): /);
    await terminal.type('\r', /Cancel inv_\w+\? Otherwise it goes on/);
    expect(await terminal.ended).toBe(130);
    expect((await run('invocations', 'show', id, '--json')).json()).toMatchObject({ status: 'running' });
  });
});

it('registers and buys credits at once, and says that there is the account when the credits are refused', async () => {
  const own = marketCommand(market.url);
  const input = { input: `${PASSWORD}\n` };
  const args = ['register', '--role', 'developer', '--password-stdin', '--email'];
  try {
    const made = await own.run([...args, `${newSlug('cli')}@example.com`, '--topup', '10'], input);
    expect(made.stdout).toMatch(
      /has an account at .*\n.*\n1000 credits \(succeeded\)\. The wallet has 1000 credits\.\nNext: market pay-registration\n$/,
    );
    expect((await own.run(['pay-registration'])).code).toBe(0);
    const email = `${newSlug('cli')}@example.com`;
    const typo = await own.run([...args, email, '--topup', 'ten'], input);
    expect([typo.code, typo.stderr]).toEqual([
      2,
      'market register: ten is not an amount: write 10 or 9.50\n',
    ]);
    const refused = await own.run([...args, email, '--topup', '999999'], input);
    expect(refused.stderr).toMatch(/has an account at .* The top-up was refused: a top-up is at most /);
    expect((await own.run(['whoami'])).stdout).toContain(email);
  } finally {
    own.remove();
  }
});

it('makes agents without findings in both languages', async () => {
  for (const language of ['typescript', 'python']) {
    const folder = join(command.folder, `clean-${language}`);
    expect(await command.run(['init', folder, '--language', language, '--no-install'])).toMatchObject({
      code: 0,
    });
    const scan = (await command.run(['verify', folder, '--json'])).json<{
      stages: Record<string, { findings: unknown[] }>;
    }>();
    expect(Object.values(scan.stages).flatMap(({ findings }) => findings)).toEqual([]);
  }
});

it('lets a developer pay the fee, and see own agents', async () => {
  const own = marketCommand(market.url);
  try {
    const profile = (await signUp(own, 'developer')).json();
    expect(profile).toMatchObject({ registration_paid: false });
    const poor = await own.run(['pay-registration']);
    expect([poor.code, poor.stderr]).toEqual([1, expect.stringContaining('next: market topup')]);
    await own.run(['topup', '100', '--currency', 'USD']);
    expect((await own.run(['pay-registration'])).code).toBe(0);
    expect((await own.run(['agents', 'list'])).stdout).toBe('Nothing found.\n');
  } finally {
    own.remove();
  }
});

it('says in words what is wrong with an amount, a password, a session and the file of the logins', async () => {
  const own = marketCommand(market.url);
  const file = join(own.folder, 'config/sessions.json');
  try {
    await signUp(own, 'buyer');
    const [much, little, password] = await Promise.all([
      own.run(['topup', '99999999']),
      own.run(['topup', '0.01']),
      own.run(['login', '--email', 'a@example.com']),
    ]);
    expect([much.code, much.stderr]).toEqual([2, 'market topup: a top-up is at most 100000.00 USD\n']);
    expect([little.code, little.stderr]).toEqual([2, 'market topup: a top-up is at least 1.00 USD\n']);
    expect(password.stderr).toContain(
      'the password is missing: pass it on standard input with --password-stdin',
    );

    const saved = readFileSync(file, 'utf8');
    writeFileSync(file, saved.replace(/market_session=[^"]+/, 'market_session=ended'));
    const ended = await own.run(['balance']);
    expect([ended.code, ended.stderr]).toEqual([
      3,
      expect.stringContaining('your session has ended. Log in again: market login\n'),
    ]);
    writeFileSync(file, saved.slice(0, 40));
    const damaged = await own.run(['balance']);
    expect([damaged.code, damaged.stderr]).toEqual([
      2,
      expect.stringContaining(`${file}, which keeps your logins, is damaged`),
    ]);
  } finally {
    own.remove();
  }
});

it('names the scope that a key lacks, and the command that makes a key with it', async () => {
  const { key } = await makeKey(market, developer, { scopes: ['agents:read'] });
  const refused = await marketCommand(market.url, { MARKET_API_KEY: key }).run([
    'invoke',
    agentId,
    '{"text": "x"}',
  ]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('lacks the scope agents:invoke');
  expect(refused.stderr).toContain('next: market api-keys create --name <name> --scope agents:invoke');
});

it('names the login that another account replaces, and keeps both in profiles', async () => {
  const own = marketCommand(market.url);
  try {
    const first = (await signUp(own, 'developer')).json();
    const email = `${newSlug('cli')}@example.com`;
    const args = ['register', '--email', email, '--password-stdin'];
    const input = { input: `${PASSWORD}\n` };
    expect((await own.run([...args, '--profile', 'second'], input)).stdout).not.toContain('replaces');
    const login = ['login', '--email', email, '--password-stdin'];
    expect((await own.run(login, input)).stdout).toContain(`replaces the login of ${String(first['email'])}`);
    expect((await own.run(login, input)).stdout).not.toContain('replaces');
  } finally {
    own.remove();
  }
});

it('makes the folder of an agent although the package registry hangs, and prints what is left to do', async () => {
  const tools = join(command.folder, 'bin');
  mkdirSync(tools);
  writeFileSync(join(tools, 'npm'), '#!/bin/sh\nsleep 60 & wait\n', { mode: 0o755 });
  const folder = join(command.folder, 'slow-agent');
  const late = await command.run(['init', folder, '--install-timeout', '1'], {
    env: { PATH: `${tools}:${process.env['PATH']}` },
  });
  expect(late.code).toBe(4);
  expect(late.stderr).toMatch(/^npm install --no-audit --no-fund …\nmarket init: the files are in /);
  expect(late.stderr).toContain(
    'did not end within 1 s: does the registry answer? See `npm config get registry`',
  );
  expect(late.stderr).toContain(`next: cd ${folder} && npm install --no-audit --no-fund && market dev`);
  expect(statSync(join(folder, 'manifest.json')).isFile()).toBe(true);
  const none = await command.run(['init', join(command.folder, 'other'), '--install-timeout', 'soon']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('whole number of seconds')]);
});

it('refuses a folder that cannot be created', async () => {
  const refused = await command.run(['init', '/proc/agent', '--no-install']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^market init: \/proc\S* /)]);
});

describe('a mistake', () => {
  it('is explained field by field, with the trace id', async () => {
    const wrong = await command.run(['invoke', agentId, '{"text": 5}']);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/^ {2}text: must be string$/m);
    expect(wrong.stderr).toMatch(/^ {2}trace id: [0-9a-f]{32}$/m);
    expect(wrong.stderr).toMatch(new RegExp(`^ {2}next: market listings show ${agentId}$`, 'm'));
  });

  it('with --json is a JSON document, also when commander finds it', async () => {
    const wrong = await command.run(['invok', 'x', '--json']);
    expect([wrong.code, JSON.parse(wrong.stderr)]).toEqual([
      2,
      { error: "unknown command 'invok'. Did you mean invoke?" },
    ]);
  });

  it('about the profile names the login that is missing', async () => {
    const wrong = await command.run(['whoami', '--profile', 'other']);
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      expect.stringMatching(/not logged in at \S+: run market login --profile other\n$/),
    ]);
  });

  it('in the name of a verb is one line with a suggestion', async () => {
    const wrong = await command.run(['invok', 'x']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^error: unknown command '\w+'\. Did you mean invoke\?\n$/);
  });

  it.each([
    ['invoices lst', 'list'],
    ['ledger chek', 'check'],
    ['verify foldr', 'folder'],
  ])('in %s, whose group runs a verb without a word, is explained in the same way', async (words, meant) => {
    const wrong = await command.run(words.split(' '));
    const [, word] = words.split(' ');
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      `error: unknown command '${word}'. Did you mean ${meant}?\n`,
    ]);
  });
});
