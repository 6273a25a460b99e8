/** Verbs over what an account has: bond, ledger, mandates, tasks, registrations, webhooks, pages and completion. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { recordEvent } from '../../../src/stores/webhooks/outbox';
import { accessVerbs, agentVisibilityVerbs } from '../../../src/cli/verbs/agent-visibility';
import { balanceVerbs } from '../../../src/cli/verbs/balance';
import { bondVerbs } from '../../../src/cli/verbs/bond';
import { completeVerbs } from '../../../src/cli/verbs/complete';
import { completionVerbs } from '../../../src/cli/verbs/completion';
import { contestVerbs } from '../../../src/cli/verbs/contests';
import { figureVerbs } from '../../../src/cli/verbs/figures';
import { ledgerEntryVerbs } from '../../../src/cli/verbs/ledger-entries';
import { listenVerbs } from '../../../src/cli/verbs/listen';
import { logVerbs } from '../../../src/cli/verbs/logs';
import { mandateKeyVerbs } from '../../../src/cli/verbs/mandate-keys';
import { mandateVerbs } from '../../../src/cli/verbs/mandates';
import { openVerbs } from '../../../src/cli/verbs/open';
import { operatorVerbs } from '../../../src/cli/verbs/operator';
import { ownAgentVerbs } from '../../../src/cli/verbs/own-agents';
import { ownVersionVerbs } from '../../../src/cli/verbs/own-versions';
import { paymentVerbs } from '../../../src/cli/verbs/payments';
import { payoutMethodVerbs } from '../../../src/cli/verbs/payout-method';
import { payoutVerbs } from '../../../src/cli/verbs/payouts';
import { registrationVerbs } from '../../../src/cli/verbs/registrations';
import { standingVerbs } from '../../../src/cli/verbs/standing';
import { taskVerbs } from '../../../src/cli/verbs/tasks';
import { webhookVerbs } from '../../../src/cli/verbs/webhooks';
import { a2a, ownMandate } from '../../support/protocols/a2a';
import { testManifest } from '../../support/agents/manifest';
import { registerOperator } from '../../support/disputes/disputes';
import { claimsOf, newSigner } from '../../support/mandates/mandates';
import { marketProgram } from '../../support/cli/market-program';
import { eventually, invoke, putLive, register, startMarket, type TestUser } from '../../support/market';
import { newSlug } from '../../support/names';
import { publish, registerDeveloper, type TestDeveloper } from '../../support/catalogue/publishing';
import { registration, untilVersions } from '../../support/catalogue/registrations';
import { postWebhook } from '../../support/webhooks/webhooks';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
const agent = useAgent();
let developer: TestDeveloper;
let program: ReturnType<typeof marketProgram>;

beforeAll(async () => {
  developer = await registerDeveloper(market);
  program = marketProgram(market.url, [
    ...[balanceVerbs, bondVerbs, completionVerbs, ledgerEntryVerbs, mandateVerbs],
    ...[openVerbs, registrationVerbs, taskVerbs, webhookVerbs, listenVerbs, logVerbs, mandateKeyVerbs],
    ...[contestVerbs, figureVerbs, operatorVerbs, ownVersionVerbs, paymentVerbs, payoutVerbs, standingVerbs],
    ...[payoutMethodVerbs, ownAgentVerbs, completeVerbs, agentVisibilityVerbs, accessVerbs],
  ]);
});
afterAll(async () => {
  program.remove();
});

const json = <T = Record<string, unknown>>(printed: { stdout: string }) => JSON.parse(printed.stdout) as T;

it('moves credits into the bond and requests some back, and lists each entry', async () => {
  const owner = await register(market, 'developer', 600);
  const deposited = await program.run(owner, 'bond', 'deposit', '500');
  expect(deposited).toMatchObject({ code: 0, stderr: '' });
  expect(deposited.stdout).toContain('The bond has 500 credits. Its tier is basic (');
  const asked = json(await program.run(owner, 'bond', 'withdraw', '20.5', '--json'));
  expect(asked).toMatchObject({ status: 'noticed', credits: 20.5 });
  const shown = await program.run(owner, 'bond', 'show');
  expect(shown.stdout).toContain(`${String(asked['withdrawal_id'])}  noticed  20.5     -`);
  expect(await program.run(owner, 'bond', 'deposit', 'many')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'market bond deposit: many is not an amount: write 10 or 9.50\n',
  });

  const entries = await program.run(owner, 'ledger', '--limit', '1');
  expect(entries.stdout).toMatch(/wallet +\w+ +-500 +100 /);
  expect(entries.stdout).toContain('more: --cursor ');
  const bondEntries = await program.run(owner, 'ledger', 'list', '--earnings');
  expect(bondEntries.stdout).toMatch(/bond +\w+ +\+500 +500 /);
  expect((await program.run(owner, 'balance')).stdout).toMatch(/Bond: +500/);
});

it('shows and cancels tasks, and shows and revokes their mandate', async () => {
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
  const mandate = await ownMandate(market, buyer);
  const body = { input: { text: 'hello' }, mandate };
  const { task_id: task } = (await a2a(market, buyer, 'POST', `${agentId}/tasks`, body)).body;
  expect((await program.run(buyer, 'tasks', 'list', agentId)).stdout).toContain(task);
  expect(json(await program.run(buyer, 'tasks', 'show', agentId, task, '--json'))).toMatchObject({
    task_id: task,
  });
  const late = await program.run(buyer, 'tasks', 'cancel', agentId, task);
  expect(late.stdout + late.stderr).toMatch(/cancel/i);

  const id = String(claimsOf(mandate.jws)['jti']);
  expect((await program.run(buyer, 'mandates', 'list')).stdout).toContain(id);
  expect((await program.run(buyer, 'mandates', 'revoke', id)).stdout).toBe(`Revoked ${id}.\n`);
  expect((await program.run(buyer, 'mandates', 'show', id)).stdout).toMatch(/^status +revoked$/m);
  const unknown = await program.run(buyer, 'mandates', 'show', 'mdt_nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('trace id: ')]);
});

it('registers a self-hosted agent and changes its registration', async () => {
  const wanted = JSON.stringify(registration(agent.url));
  const { agent_id: id = '' } = json<{ agent_id?: string }>(
    await program.run(developer, 'agents', 'register', wanted, '--json'),
  );
  await untilVersions(market, developer, id, { '1.0.0': 'live' });
  const changed = await program.run(developer, 'agents', 'change', id, '{"name": "Another name"}');
  expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining(id) as string });
  const shown = await program.run(developer, 'agents', 'registration', id, '--json');
  expect(json(shown)).toMatchObject({ name: 'Another name' });
  const wrong = await program.run(developer, 'agents', 'change', id, '{"nme": "x"}');
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('nme')]);
});

it('makes an agent private, shows it to accounts, and answers requests for access', async () => {
  const buyer = await register(market, 'buyer');
  const asker = await register(market, 'buyer');
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
  const made = await program.run(developer, 'agents', 'visibility', agentId, 'private');
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/visibility +private\naudience +0\nlink +none/) as string,
  });
  expect((await program.run(developer, 'agents', 'share', agentId, buyer.userId)).stdout).toMatch(
    /audience +1/,
  );
  expect((await program.run(developer, 'agents', 'audience', agentId)).stdout).toContain(buyer.userId);
  expect((await program.run(buyer, 'agents', 'shared')).stdout).toContain(agentId);
  const link = json<{ url: string }>(await program.run(developer, 'access', 'link', agentId, '--json'));
  const asked = await program.run(asker, 'access', 'ask', link.url, 'We read invoices.', '--json');
  const { request_id: id } = json<{ request_id: string }>(asked);
  expect(
    (await program.run(developer, 'access', 'requests', agentId, '--state', 'pending')).stdout,
  ).toContain(id);
  expect((await program.run(developer, 'access', 'waiting')).stdout).toContain(id);
  expect((await program.run(developer, 'access', 'grant', agentId, id)).stdout).toMatch(/state +granted/);
  expect((await program.run(asker, 'access', 'list')).stdout).toContain('granted');
  expect((await program.run(developer, 'agents', 'unshare', agentId, buyer.userId)).code).toBe(0);
  expect((await program.run(buyer, 'agents', 'shared')).stdout).toBe('Nothing found.\n');
  expect((await program.run(developer, 'access', 'link', agentId, '--end')).stdout).toContain('has ended');
  const wrong = await program.run(asker, 'access', 'ask', 'https://market.example/console/access', 'Why.');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('#acl_')]);
});

it('registers, lists and removes a key that signs mandates', async () => {
  const owner = await register(market, 'buyer', 10);
  const { jwk, kid } = await newSigner();
  const added = await program.run(owner, 'mandates', 'add-key', JSON.stringify(jwk), '--name', 'procurement');
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining(kid) });
  expect((await program.run(owner, 'mandates', 'keys')).stdout).toMatch(
    new RegExp(`${kid} +procurement +20`),
  );
  expect((await program.run(owner, 'mandates', 'remove-key', kid)).stdout).toBe(`Removed ${kid}.\n`);
  expect((await program.run(owner, 'mandates', 'keys')).stdout).toBe('Nothing found.\n');
});

it('prints a version with its manifest, deletes a draft, and lists notices and earnings', async () => {
  const owner = await registerDeveloper(market);
  const slug = newSlug('drafted');
  const draft = testManifest('https://agent.example.com', { agentId: slug });
  expect((await publish(market, owner, draft, { submit: false })).status).toBe(201);
  const shown = json(await program.run(owner, 'agents', 'version', slug, '1.0.0', '--json'));
  expect(shown).toMatchObject({ version: '1.0.0', manifest: { agent_id: slug } });
  expect((await program.run(owner, 'agents', 'notices', slug)).stdout).toBe('Nothing found.\n');
  const deleted = await program.run(owner, 'agents', 'delete-draft', slug, '1.0.0');
  expect(deleted.stdout).toMatch(/^Deleted the draft 1\.0\.0 of agt_/);
  expect((await program.run(owner, 'payouts', 'earnings')).stdout).toBe('Nothing found.\n');
  const none = await program.run(
    owner,
    'verification',
    'acknowledge',
    'agt_none_v1',
    `fnd_${'0'.repeat(32)}`,
  );
  expect(none).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('market findings acknowledge: '),
  });
  for (const words of [
    ['findings', 'list'],
    ['verification', 'findings'],
    ['agents', 'findings'],
  ])
    expect(await program.run(owner, ...words, slug)).toEqual({
      code: 0,
      stdout: 'Nothing found.\n',
      stderr: '',
    });
});

it('finds what an id names, and lists the movements and reversals of accounts, for operators', async () => {
  const operator = await registerOperator(market);
  const owner = await register(market, 'buyer', 30);
  const found = json(await program.run(operator, 'operator', 'lookup', owner.userId, '--json'));
  expect(found).toMatchObject({ items: [{ kind: 'account', id: owner.userId }] });
  const moves = await program.run(operator, 'wallets', 'movements', owner.userId);
  expect(moves.stdout).toMatch(/wallet +\w+ +\+30 +30 /);
  expect((await program.run(operator, 'payments', 'reversals', '--owed')).stdout).toBe('Nothing found.\n');
  expect((await program.run(owner, 'operator', 'lookup', owner.userId)).code).toBe(3);
});

it('sends a test event', async () => {
  const hook = await postWebhook(market, developer, { url: agent.url, types: ['payout.completed'] });
  const sent = await program.run(developer, 'webhooks', 'trigger', hook.body.webhook_id);
  expect(sent.stdout).toMatch(/^whd_\w+ is \w+\.\n$/);
});

/** Resolves when the account follows its events, so that later ones are on its stream. */
const untilFollowed = ({ userId }: TestUser) =>
  eventually(async () => {
    const found = await market.owner.query('SELECT FROM event_followers WHERE user_id = $1', [userId]);
    return found.rowCount === 1;
  }, 30_000);
const load = ({ userId }: TestUser, credits: number) =>
  recordEvent(market.container.pool, {
    type: 'credits.loaded',
    data: { credits },
    audience: { userIds: [userId] },
  });

it('sends own events to an address of this machine, signed by the secret that it prints', async () => {
  const who = await register(market, 'buyer');
  const told: { headers: IncomingHttpHeaders; text: string }[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      told.push({ headers: request.headers, text });
      response.writeHead(told.length === 1 ? 204 : 500).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const listening = program.run(who, 'webhooks', 'listen', '--forward-to', address, '--count', '2', '--json');
  await untilFollowed(who);
  for (const credits of [1, 2]) await load(who, credits);
  const { code, stdout } = await listening;
  receiver.close();
  const [begun, ...sent] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect([code, begun]).toEqual([
    0,
    { secret: expect.stringMatching(/^whsec_/) as string, forward_to: address },
  ]);
  expect(sent).toMatchObject([
    { type: 'credits.loaded', status: 204, error: null },
    { type: 'credits.loaded', status: 500, error: null },
  ]);
  const verifier = new Webhook(String(begun?.['secret']));
  const bodies = told.map(({ headers, text }) => verifier.verify(text, headers as Record<string, string>));
  expect(bodies).toMatchObject([{ type: 'credits.loaded', data: { credits: 1 } }, { data: { credits: 2 } }]);
});

it('shows a receiver that cannot be reached, and refuses an invalid address', async () => {
  const who = await register(market, 'buyer');
  const listening = program.run(
    who,
    'webhooks',
    'listen',
    '--forward-to',
    'http://127.0.0.1:1/',
    '--count',
    '1',
  );
  await untilFollowed(who);
  await load(who, 1);
  expect((await listening).stdout).toMatch(
    /^secret: whsec_\S+\nforwarding to .*\n\S+Z {2}(?!\d{3} ).+ {2}credits.loaded {2}evt_/,
  );
  const wrong = await program.run(who, 'webhooks', 'listen', '--forward-to', 'file:///etc/passwd');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
});

it('prints calls and events as they happen', async () => {
  const buyer = await register(market, 'buyer', 100);
  const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 5 });
  const tailing = program.run(buyer, 'logs', 'tail', '--count', '2');
  await untilFollowed(buyer);
  const { body } = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
  await load(buyer, 7);
  const { code, stdout, stderr } = await tailing;
  expect([code, stderr]).toEqual([0, 'waiting for events\n']);
  expect(stdout).toContain(`invocation.succeeded  ${body.invocation_id}  ${agentId}  5 credits  `);
  expect(stdout).toContain('credits.loaded  credits=7\nShowed 2 events.\n');
  const refused = await program.run(buyer, 'logs', 'tail', '--type', 'nothing');
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  expect(await program.run(buyer, 'logs', 'tail', '--count', '0')).toMatchObject({ code: 2 });
});

it('prints the calls of a listed agent by day', async () => {
  const [buyer, seller] = [await register(market, 'buyer', 100), await register(market, 'developer')];
  const { agentId } = await putLive(market, seller.userId, agent.url, { credits: 5 });
  expect((await program.run(buyer, 'figures', agentId)).stdout).toBe('No call in the last 30 days.\n');
  expect((await invoke(market, buyer, agentId, { input: { text: 'hello' } })).status).toBe(200);
  let stdout = '';
  await eventually(async () => {
    ({ stdout } = await program.run(buyer, 'figures', agentId));
    return stdout.includes('20');
  });
  expect(stdout).toMatch(
    /^day +calls +succeeded +half within +95% within\n20\S+ +1 +- +- +-\nDays without calls are left out\.\nRates .+ from ten .+\n$/,
  );
  const missing = await program.run(buyer, 'figures', 'agt_nobody_v1');
  expect(missing).toMatchObject({ code: 1, stdout: '' });
});

it('prints the page of an id', async () => {
  const page = async (id: string) => (await program.run(developer, 'open', id)).stdout;
  expect(await page('inv_0190b5c2')).toBe(`${market.url}/console/calls/inv_0190b5c2\n`);
  expect(await page('slh_0190b5c2')).toBe(`${market.url}/console/developer/slashes/slh_0190b5c2\n`);
  expect(await page('ivc_0190b5c2')).toBe(`${market.url}/console/wallet?tab=invoices\n`);
  expect(await program.run(developer, 'open', 'abc_1')).toMatchObject({ code: 2 });

  // Operators look these up; others see them among their own things.
  const operator = await registerOperator(market);
  const { stdout } = await program.run(operator, 'open', 'ver_0190b5c2');
  expect(stdout).toBe(`${market.url}/console/operator?find=ver_0190b5c2\n`);
  expect(await page('ver_0190b5c2')).toBe(`${market.url}/console/developer/agents\n`);
  expect(await page('usr_0190b5c2')).toBe(`${market.url}/console/account\n`);
});

it("prints the address of an id's workflows in Temporal's UI, for operators", async () => {
  const shown = await startMarket({ env: { TEMPORAL_UI_URL: 'https://temporal.example/' } });
  const itsProgram = marketProgram(shown.url, [openVerbs]);
  try {
    const operator = await registerOperator(shown);
    const { stdout } = await itsProgram.run(operator, 'open', 'inv_0190b5c2', '--temporal');
    expect(decodeURIComponent(stdout)).toMatch(
      /^https:\/\/temporal\.example\/namespaces\/[\w-]+\/workflows\?query=WorkflowId = "invocation\/inv_0190b5c2" OR Members = "inv_0190b5c2"\n$/,
    );
  } finally {
    itsProgram.remove();
    await shown.stop();
  }
  const operator = await registerOperator(market);
  const unknown = await program.run(operator, 'open', 'slh_0190b5c2', '--temporal');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('TEMPORAL_UI_URL') });
  expect(await program.run(operator, 'open', 'whk_0190b5c2', '--temporal')).toMatchObject({ code: 2 });
  expect(await program.run(developer, 'open', 'inv_0190b5c2', '--temporal')).toMatchObject({ code: 3 });
});

it('says that there is no payout method yet, and how to set one', async () => {
  const method = await program.run(developer, 'payout-method', 'show');
  expect(method).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('You have no payout method: set one'),
  });
});

it('completes the values of arguments and options', async () => {
  const owner = await registerDeveloper(market);
  const slug = newSlug('completed');
  await publish(market, owner, testManifest('https://agent.example.com', { agentId: slug }), {
    submit: false,
  });
  const complete = async (...words: string[]) =>
    (await program.run(owner, 'complete', '--', ...words)).stdout.trim().split('\n');
  expect(await complete('payout-method', 'set', '')).toEqual(['ach', 'swift', 'upi', 'usdc']);
  expect(await complete('payout-method', 'set', 'ach', '')).toEqual(['@']);
  expect(await complete('findings', 'list', '')).toEqual([slug]);
  expect(await complete('findings', 'list', '--profile', 'default', '')).toEqual([slug]);
  expect(await complete('agents', 'version', slug, '')).toEqual(['1.0.0']);
  expect(await complete('findings', 'list', slug, '--status', '')).toEqual([
    'open',
    'acknowledged',
    'resolved',
  ]);
  expect(await complete('agents', 'findings', '--profile', '')).toEqual(['default']);
  expect(await complete('--profile', 'default', 'bond', '')).toEqual(['show', 'deposit', 'withdraw']);
  // Nothing is known: the shell completes files.
  expect(await complete('findings', 'contest', 'agt_none_v1', '')).toEqual(['']);
  expect(await complete('agents', 'version', slug, '1.0.0', '')).toEqual(['']);
});

it('completes verbs and options in bash', async () => {
  const { stdout: script } = await program.run(developer, 'completion', 'bash');
  const complete = (...words: string[]) => {
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const asked = `COMP_WORDS=(market ${quoted}); COMP_CWORD=${words.length}; _market; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', `${script}\n${asked}`], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim();
  };
  expect(complete('mand')).toBe('mandates');
  expect(complete('--json', 'bond', 'w')).toBe('withdraw');
  expect(complete('bond', 'deposit', '--i')).toBe('--idempotency-key');
  expect(complete('bond', '')).not.toContain('--help');
  expect(complete('payout-method', 'set', 'ach', '@', 'tsconfig.bu')).toBe('tsconfig.build.json');
  expect((await program.run(developer, 'completion', 'fish')).stdout).toContain("-a 'withdraw'");
  expect((await program.run(developer, 'completion', 'zsh')).stdout).toMatch(/^#compdef market\n/);
  expect(await program.run(developer, 'completion', 'toString')).toMatchObject({ code: 2 });
});
