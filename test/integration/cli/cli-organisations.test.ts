/** Organisations on the command line: their members, and for whom the verbs act. */
import { marketCommand, type MarketCommand } from '../../support/cli/market-command';
import { mailBox } from '../../support/accounts/mails';
import { newSlug } from '../../support/names';
import { eventually, putLive, register } from '../../support/market';
import { useAgent, useMarket } from '../../support/use-market';

jest.setTimeout(120_000);

const box = mailBox();
const market = useMarket({ env: { MAIL_URL: box.url } });
const agent = useAgent();
let agentId: string;
let ada: MarketCommand;
let bob: MarketCommand;
let [adaEmail, bobEmail] = ['', ''];
let orgId: string;

const signUp = async (command: MarketCommand) => {
  const email = `${newSlug('cli')}@example.com`;
  const args = ['register', '--email', email, '--role', 'buyer', '--password-stdin'];
  expect((await command.run(args, { input: 'correct horse battery\n' })).code).toBe(0);
  await market.owner.query('UPDATE users SET email_confirmed_at = now() WHERE email = $1', [email]);
  return email;
};
const credits = async (command: MarketCommand, ...args: string[]) =>
  (await command.run(['balance', '--json', ...args])).json<{ wallet: { available_credits: number } }>().wallet
    .available_credits;

beforeAll(async () => {
  const developer = await register(market, 'developer');
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 }));
  [ada, bob] = [marketCommand(market.url), marketCommand(market.url)];
  adaEmail = await signUp(ada);
  bobEmail = await signUp(bob);
  const made = await ada.run(['orgs', 'create', 'Analytical Engines', '--json']);
  orgId = made.json<{ org_id: string }>().org_id;
});
afterAll(() => {
  ada.remove();
  bob.remove();
  box.close();
});

it('shows whose money it spends, and spends that of the owner that was chosen', async () => {
  await ada.run(['topup', '500', '--currency', 'INR']);
  expect((await ada.run(['whoami'])).stdout).toContain('The verbs act for you: your wallet pays.');
  const used = await ada.run(['orgs', 'use', orgId]);
  const acting = `The verbs act for Analytical Engines (${orgId}) in the role owner: its wallet pays.`;
  expect(used.stdout).toContain(acting);
  expect((await ada.run(['whoami'])).stdout).toContain(acting);
  expect((await ada.run(['balance'])).stdout).toContain(`Wallet of Analytical Engines (${orgId})`);

  const bought = await ada.run(['topup', '100', '--currency', 'INR']);
  expect([bought.code, bought.stderr]).toEqual([0, `for Analytical Engines (${orgId})\n`]);
  const called = await ada.run(['invoke', agentId, '{"text": "hello"}']);
  expect(called.stderr).toMatch(new RegExp(`^for Analytical Engines \\(${orgId}\\)\\n10 credits, `));
  const quiet = await ada.run(['invoke', agentId, '{"text": "hello"}', '--json']);
  expect([quiet.code, quiet.stderr]).toEqual([0, '']);
  expect([await credits(ada), await credits(ada, '--owner', 'personal')]).toEqual([80, 500]);

  const again = ['login', '--email', adaEmail, '--password-stdin'];
  const kept = await ada.run(again, { input: 'correct horse battery\n' });
  expect(kept.stdout).toContain(`The verbs act for Analytical Engines (${orgId}).`);
  expect((await ada.run(['orgs', 'use', 'personal'])).stdout).toBe(
    'The verbs act for you: your wallet pays.\n',
  );
  const own = await ada.run(['topup', '10', '--currency', 'INR']);
  expect([own.code, own.stderr]).toEqual([0, '']);
  expect([await credits(ada), await credits(ada, '--owner', orgId)]).toEqual([510, 80]);
});

it('refuses an organisation of which one is no member, and another owner than that of a key', async () => {
  const foreign = await bob.run(['balance', '--owner', orgId]);
  expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('next: market orgs list')]);
  expect(await bob.run(['orgs', 'use', orgId])).toMatchObject({ code: 1 });
  const word = await bob.run(['balance', '--owner', 'acme']);
  expect([word.code, word.stderr]).toEqual([2, expect.stringContaining('acme is not an owner')]);
  const unnamed = await bob.run(['orgs', 'members']);
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('--owner org_…')]);

  const args = ['api-keys', 'create', '--name', 'app', '--scope', 'billing:read'];
  const key = (await ada.run([...args, '--owner', orgId])).stdout.trim();
  const env = { MARKET_API_KEY: key };
  const byKey = (await ada.run(['balance', '--json'], { env })).json<{
    wallet: { available_credits: number };
  }>();
  expect(byKey.wallet.available_credits).toBe(80);
  const other = await ada.run(['balance', '--owner', `org_${'1'.repeat(32)}`], { env });
  expect(other.code).toBe(1);
  expect((await ada.run(['whoami'], { env })).stdout).toContain('MARKET_API_KEY is set');
});

it('invites a member, changes the role, hands the organisation over, and leaves', async () => {
  const owned = ['--owner', orgId];
  const invited = await ada.run(['orgs', 'invite', bobEmail, 'viewer', ...owned]);
  expect(invited.stdout).toContain(`Invited ${bobEmail} as viewer`);
  expect((await ada.run(['orgs', 'invitations', ...owned])).stdout).toContain(bobEmail);
  await market.container.mails.ofAccounts.send();
  await eventually(() => box.to(bobEmail).some(({ subject }) => subject.includes('invited')));
  const mail = box.to(bobEmail).find(({ subject }) => subject.includes('invited'));
  const token = /#(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
  const joined = await bob.run(['orgs', 'accept', token]);
  expect(joined.stdout).toContain('You are a member of Analytical Engines, in the role viewer.');
  expect((await bob.run(['orgs'])).stdout).toContain(orgId);
  expect((await bob.run(['orgs', 'use', orgId])).code).toBe(0);
  expect((await bob.run(['topup', '100', '--currency', 'INR'])).code).toBe(3);

  expect((await ada.run(['orgs', 'role', bobEmail, 'finance', ...owned])).code).toBe(0);
  expect((await bob.run(['topup', '20', '--currency', 'INR'])).code).toBe(0);
  expect((await ada.run(['orgs', 'members', ...owned])).stdout).toMatch(new RegExp(`${bobEmail} +finance`));
  const stranger = await ada.run(['orgs', 'remove', 'eve@example.com', ...owned]);
  expect([stranger.code, stranger.stderr]).toEqual([
    1,
    expect.stringContaining('no member has the address eve@example.com'),
  ]);

  expect((await ada.run(['orgs', 'change', '--time-zone', 'Asia/Kolkata', ...owned])).code).toBe(0);
  expect((await bob.run(['orgs', 'budget'])).stdout).toContain('No budget: the member may spend');
  const set = await ada.run(['orgs', 'set-budget', bobEmail, '50', '--window', 'month', ...owned]);
  expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/^50 credits left of 50 credits a month, until .*T18:30/)]); // prettier-ignore
  expect((await bob.run(['orgs', 'budget'])).stdout).toBe(set.stdout);
  expect((await bob.run(['orgs', 'set-budget', bobEmail, '500'])).code).toBe(3);
  expect((await bob.run(['balance'])).stdout).toMatch(/For you: +50 credits +left of your budget/);
  expect((await ada.run(['orgs', 'members', ...owned])).stdout).toContain('50 of 50 (month)');
  expect((await ada.run(['orgs', 'clear-budget', bobEmail, ...owned])).code).toBe(0);

  expect((await bob.run(['orgs', 'rules'])).stdout).toBe('Every agent is permitted.\n');
  expect((await bob.run(['orgs', 'set-rules'])).code).toBe(2);
  const ruled = await bob.run(['orgs', 'set-rules', '--min-trust', '75', '--agents', agentId]);
  expect(ruled.stdout).toContain(agentId);
  const lifted = await bob.run(['orgs', 'set-rules', '--min-trust', 'none', '--agents', 'none', '--json']);
  expect(lifted.json<object>()).toEqual({ min_trust_score: null, agents: null, developers: null });

  expect((await ada.run(['orgs', 'leave', ...owned])).code).toBe(1);
  expect((await ada.run(['orgs', 'handover', bobEmail, ...owned])).code).toBe(0);
  const renamed = await bob.run(['orgs', 'change', '--name', 'Difference Engines']);
  expect(renamed.code).toBe(0);
  expect((await bob.run(['whoami'])).stdout).toContain(`Difference Engines (${orgId}) in the role owner`);
  expect((await bob.run(['orgs', 'log'])).stdout).toContain('handOverOrganisation');
  const file = `${bob.folder}/log.csv`;
  expect((await bob.run(['orgs', 'log', '--csv', '--output', file])).stdout).toContain(file);
  expect((await ada.run(['orgs', 'leave', ...owned])).stdout).toContain(`You left ${orgId}.`);
  expect((await bob.run(['orgs', 'members', '--json'])).json<{ total: number }>().total).toBe(1);
});

it('says that one is no member of the remembered organisation any more', async () => {
  await bob.run(['orgs', 'use', orgId]);
  await market.owner.query('DELETE FROM organisation_members WHERE org_id = $1', [orgId]);
  const who = await bob.run(['whoami']);
  expect([who.code, who.stdout]).toEqual([
    0,
    expect.stringContaining(`You are no member of Difference Engines (${orgId})`),
  ]);
  const refused = await bob.run(['balance']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('market orgs use personal')]);
});
