/** `market slashes` as operators run it, a process for each command, and as the developer answers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAgent } from '../../support/agents/test-agent';
import { slashVerbs } from '../../../src/cli/verbs/slashes';
import { deposit, readSlash } from '../../support/disputes/bonds';
import { registerOperator, succeed } from '../../support/disputes/disputes';
import { marketCommand } from '../../support/cli/market-command';
import { marketProgram } from '../../support/cli/market-program';
import { keptMarket } from '../../support/kept-market';
import { expectWholeLedger, putLive, register } from '../../support/market';

it('applies, lists and decides slashes', async () => {
  const market = await keptMarket();
  const command = marketCommand(market.url);
  const agent = await startAgent();
  try {
    const operator = await registerOperator(market);
    const developer = await register(market, 'developer', 1_000);
    const buyer = await register(market, 'buyer', 100);
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 10 });
    const call = await succeed(market, buyer, agentId);
    await deposit(market, developer, 500);
    const login = ['login', '--email', operator.email, '--password-stdin'];
    expect(await command.run(login, { input: 'correct horse battery\n' })).toMatchObject({ code: 0 });

    const evidence = join(command.folder, 'evidence.json');
    writeFileSync(evidence, '{"seen": true}');
    const what = ['--credits', '100', '--explanation', 'It leaked.', '--evidence', evidence, '--call', call];
    const apply = ['slashes', 'apply', agentId, ...what, '--idempotency-key', 'leak-1', '--json'];
    const applied = await command.run(apply);
    expect([applied.code, applied.stderr]).toEqual([0, '']);
    const { slash_id: slashId } = applied.json<{ slash_id: string }>();
    expect((await command.run(apply)).json()).toMatchObject({ slash_id: slashId });
    const listed = await command.run(['slashes', 'list']);
    expect(listed.stdout).toContain(slashId);
    const own = marketProgram(market.url, [slashVerbs]);
    const seen = await own.run(developer, 'slashes', 'list');
    expect((await own.run(developer, 'slashes', 'list', '--limit', '1')).stdout).toContain('\n1 of 1');
    const shown = await own.run(developer, 'slashes', 'show', slashId);
    const answered = await own.run(developer, 'slashes', 'answer', slashId, '--statement', 'It is public.');
    const twice = await own.run(developer, 'slashes', 'answer', slashId, '--statement', 'Again.');
    own.remove();
    expect([seen.stdout, shown.stdout]).toEqual([
      expect.stringContaining(slashId),
      expect.stringContaining('It leaked.'),
    ]);
    expect([answered.code, answered.stdout]).toEqual([0, `${slashId} is contested. An operator decides.\n`]);
    expect(twice).toMatchObject({ code: 1, stdout: '' });
    const decided = await command.run([
      'slashes',
      'resolve',
      slashId,
      'overturned',
      '--reason',
      'It is public.',
    ]);
    expect(decided).toMatchObject({ code: 0, stdout: expect.stringContaining('overturned') as string });
    const again = await command.run(['slashes', 'resolve', slashId, 'upheld', '--reason', 'No.']);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the slash is overturned') as string,
    });
    expect(await readSlash(market, developer, slashId)).toMatchObject({
      status: 'overturned',
      evidence: { seen: true },
    });
    await expectWholeLedger(market);
  } finally {
    command.remove();
    await agent.stop();
    await market.stop();
  }
}, 180_000);
