import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { DisputeCaseState } from '../../src/domain/disputes/dispute-case';
import { checkLedger } from '../../src/services/ledger/ledger-check';
import {
  dispute,
  passTime,
  readDispute,
  registerOperator,
  resolve,
  respond,
  succeed,
} from '../support/disputes/disputes';
import { request } from '../support/catalogue/publishing';
import { startAgent, type TestAgent } from '../support/agents/test-agent';
import { keptMarket } from '../support/kept-market';
import { deleteWorkflow, isRunning } from '../support/stack/temporal';
import {
  balance,
  eventually,
  expectWholeLedger,
  putLive,
  register,
  type TestMarket,
  type TestUser,
} from '../support/market';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DESCRIPTION = 'CANARY-description-1b7e';

let market: TestMarket;
let developer: TestUser;
let operator: TestUser;
let buyer: TestUser;
let agent: TestAgent;
let agentId: string;

beforeAll(async () => {
  market = await keptMarket();
  developer = await register(market, 'developer');
  operator = await registerOperator(market);
  agent = await startAgent();
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 10 })).agentId;
});
afterAll(async () => {
  await agent.stop();
  await market.stop();
});
beforeEach(async () => {
  buyer = await register(market, 'buyer', 100);
});
afterEach(() => expectWholeLedger(market));

async function openCase(): Promise<string> {
  const { status, body } = await dispute(market, buyer, await succeed(market, buyer, agentId), {
    description: DESCRIPTION,
  });
  expect(status).toBe(201);
  return body.dispute_id;
}
const handleOf = (disputeId: string) => market.environment.client.workflow.getHandle(`dispute/${disputeId}`);
const wallet = () => balance(market.owner, buyer.userId, 'wallet');
const read = async (disputeId: string) => (await readDispute(market, buyer, disputeId)).body;

/** The answer to a query of the workflow, after all its pending work is done. */
const stateOf = (disputeId: string) => handleOf(disputeId).query<DisputeCaseState>('state');

describe('a developer who does not respond', () => {
  it('has 72 hours, and then counts as having accepted', async () => {
    const disputeId = await openCase();
    const opened = await read(disputeId);
    // The workflow began a moment after the case was opened: that moment is part of the window.
    await passTime(market, disputeId, 72 * HOUR_MS - 30 * SECOND_MS);
    expect(await stateOf(disputeId)).toMatchObject({ status: 'open', moving: false });
    expect(await read(disputeId)).toEqual(opened);
    expect(await wallet()).toBe(9_000);
    await passTime(market, disputeId, 30 * SECOND_MS);
    expect(await handleOf(disputeId).result()).toBe('accepted');
    const closed = await read(disputeId);
    expect(closed).toMatchObject({
      status: 'accepted',
      resolution: 'developer_silent',
      responded_at: null,
      refunded_credits: 10,
    });
    const late = Date.parse(closed.resolved_at ?? '') - Date.parse(opened.respond_by ?? '');
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(60 * SECOND_MS);
    expect(await wallet()).toBe(10_000);
  });

  it('may still answer in the last minute', async () => {
    const disputeId = await openCase();
    await passTime(market, disputeId, 72 * HOUR_MS - 30 * SECOND_MS);
    const answer = await respond(market, developer, disputeId, 'contest');
    expect(answer).toMatchObject({ status: 200, body: { status: 'contested' } });
    const early = Date.parse(answer.body.respond_by ?? '') - Date.parse(answer.body.responded_at ?? '');
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThanOrEqual(30 * SECOND_MS);
  });

  it('gets 409 afterwards', async () => {
    const disputeId = await openCase();
    await passTime(market, disputeId, 72 * HOUR_MS);
    expect(await handleOf(disputeId).result()).toBe('accepted');
    const late = await respond(market, developer, disputeId, 'contest');
    expect([late.status, late.body.error?.code]).toEqual([409, 'invalid_state']);
    expect(await wallet()).toBe(10_000);
  });
});

describe('the page of a case', () => {
  it('says who decided what, where the credits go, and how an operator decides', async () => {
    const invocationId = await succeed(market, buyer, agentId);
    const { body } = await dispute(market, buyer, invocationId, { description: DESCRIPTION });
    const disputeId = body.dispute_id;
    const page = async () =>
      (await handleOf(disputeId).query<{ currentDetails: string }>('__temporal_workflow_metadata'))
        .currentDetails;
    expect(await page()).toMatch(
      /^\*\*Waits for the response.*\*\*\n\n- \*\*Until:\*\* 20\d\d-.*\(3 days after /,
    );
    expect(await page()).toContain(`if the buyer wins: payable of the developer and fees → wallet of the buyer, \`invocation/${invocationId}/clawback\``); // prettier-ignore
    expect(await stateOf(disputeId)).toMatchObject({
      until: body.respond_by,
      respondBy: body.respond_by,
      next: 'silence counts as acceptance, and the buyer is refunded',
    });
    await respond(market, developer, disputeId, 'contest');
    expect(await page()).toMatch(/\*\*Decided:\*\* \S+Z: contested by the developer/);
    expect(await page()).toContain(`\`market disputes resolve ${disputeId} buyer --reason …\``);
    await resolve(market, operator, disputeId, 'buyer');
    await handleOf(disputeId).result();
    expect(await page()).toContain(`for the buyer, by the operator \`${operator.userId}\``);
    expect(await page()).toContain(`- **Credits:** payable of the developer and fees → wallet of the buyer`);
  });
});

describe('a contested case', () => {
  it.each([
    ['buyer', 'won', 10_000],
    ['developer', 'lost', 9_000],
  ])('waits for an operator however long, who decides for the %s', async (decision, status, units) => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    await passTime(market, disputeId, 30 * 24 * HOUR_MS);
    expect(await stateOf(disputeId)).toMatchObject({ status: 'contested', moving: false });
    expect((await read(disputeId)).status).toBe('contested');
    expect((await resolve(market, operator, disputeId, decision)).body.status).toBe(status);
    expect(await handleOf(disputeId).result()).toBe(status);
    expect(await wallet()).toBe(units);
  });
});

describe('an offer in a contested case', () => {
  const offer = (disputeId: string, credits: number) =>
    request<{ status: string; offer: { offer_id: string } }>(
      market,
      developer,
      'POST',
      `/v1/billing/disputes/${disputeId}/offer`,
      { refund_credits: credits },
    );
  const answer = (disputeId: string, offerId: string, decision: string) =>
    request<{ status: string }>(market, buyer, 'POST', `/v1/billing/disputes/${disputeId}/offer/answer`, {
      offer_id: offerId,
      decision,
    });

  it('has no deadline, and ends the case when the buyer accepts it', async () => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    const first = await offer(disputeId, 1);
    expect((await answer(disputeId, first.body.offer.offer_id, 'decline')).body.status).toBe('contested');
    const second = await offer(disputeId, 4);
    await passTime(market, disputeId, 30 * 24 * HOUR_MS);
    expect(await stateOf(disputeId)).toMatchObject({ status: 'contested', moving: false });
    expect((await answer(disputeId, second.body.offer.offer_id, 'accept')).body.status).toBe('accepted');
    expect(await handleOf(disputeId).result()).toBe('accepted');
    expect(await wallet()).toBe(9_400);
    const { currentDetails } = await handleOf(disputeId).query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    );
    expect(currentDetails).toContain('offer of 1 credit declined by the buyer');
    expect(currentDetails).toContain('offer of 4 credits accepted by the buyer');
    expect(currentDetails).toContain('at most 4 credits, a part of the charge');
  });

  it('is answered in a case that was terminated and goes on', async () => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    const { body } = await offer(disputeId, 4);
    await handleOf(disputeId).terminate('test');
    expect((await answer(disputeId, body.offer.offer_id, 'accept')).body.status).toBe('accepted');
    expect(await wallet()).toBe(9_400);
  });
});

describe('answers of the same instant', () => {
  it('one of accept and contest counts, and the other one gets 409', async () => {
    for (let round = 0; round < 5; round += 1) {
      const disputeId = await openCase();
      const answers = await Promise.all(
        ['accept', 'contest'].map((decision) => respond(market, developer, disputeId, decision)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const won = answers.find(({ status }) => status === 200)?.body.status;
      expect((await read(disputeId)).status).toBe(won);
    }
  });

  it('one of two operators counts', async () => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    const answers = await Promise.all(
      ['buyer', 'developer'].map((decision) => resolve(market, operator, disputeId, decision)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('an answer and the end of the window: one counts, and the money follows it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const disputeId = await openCase();
      const before = await wallet();
      const [answer] = await Promise.all([
        respond(market, developer, disputeId, 'contest'),
        passTime(market, disputeId, 72 * HOUR_MS),
      ]);
      await eventually(async () => (await read(disputeId)).status !== 'open');
      const { status } = await read(disputeId);
      expect([answer.status, status]).toEqual(answer.status === 200 ? [200, 'contested'] : [409, 'accepted']);
      expect((await wallet()) - before).toBe(status === 'accepted' ? 1_000 : 0);
    }
  });
});

describe('the engine', () => {
  it('may be away when a case is opened: it is started later', async () => {
    const invocationId = await succeed(market, buyer, agentId);
    const { container } = market;
    const opened = await container.disputes.open({
      buyerUserId: buyer.userId,
      invocationId,
      reason: 'other',
      description: DESCRIPTION,
      traceId: '0'.repeat(32),
      asOf: new Date(),
    });
    await eventually(() => isRunning(market.environment.client, `dispute/${opened.disputeId}`));
    expect(await stateOf(opened.disputeId)).toMatchObject({ status: 'open' });
    expect((await respond(market, developer, opened.disputeId, 'accept')).body.status).toBe('accepted');
  });

  it('continues a terminated case where it stopped', async () => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    await handleOf(disputeId).terminate('test');
    expect((await resolve(market, operator, disputeId, 'buyer')).body.status).toBe('won');
    expect(await handleOf(disputeId).result()).toBe('won');
  });

  it('starts a lost case again, and silence accepts as before', async () => {
    const disputeId = await openCase();
    await deleteWorkflow(market.environment.client, `dispute/${disputeId}`);
    const { waiting } = await checkLedger(market.container.pool);
    expect(waiting.map(({ subject }) => subject)).toContain('disputes open');
    await market.owner.query(
      `UPDATE disputes SET workflow_started_at = now() - interval '31 seconds' WHERE dispute_id = $1`,
      [disputeId],
    );
    await eventually(() => isRunning(market.environment.client, `dispute/${disputeId}`), 30_000);
    await passTime(market, disputeId, 72 * HOUR_MS);
    expect(await handleOf(disputeId).result()).toBe('accepted');
    expect(await wallet()).toBe(10_000);
  });

  it('shows ids and codes and nothing that people wrote, and replays it', async () => {
    const disputeId = await openCase();
    await respond(market, developer, disputeId, 'contest');
    await resolve(market, operator, disputeId, 'developer');
    await handleOf(disputeId).result();
    const history = await handleOf(disputeId).fetchHistory();
    const text = readable(history);
    for (const words of [DESCRIPTION, 'This is our view', 'We have looked'])
      expect(text).not.toContain(words);
    const { searchAttributes } = await handleOf(disputeId).describe();
    expect(searchAttributes).toMatchObject({
      AgentId: [agentId],
      BuyerId: [buyer.userId],
      Outcome: ['lost'],
    });
    const codePath = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');
    const replayed = Worker.runReplayHistories({ workflowBundle: { codePath } }, [
      { workflowId: `dispute/${disputeId}`, history },
    ]);
    for await (const result of replayed) expect(result.error).toBeUndefined();
  });
});

/** Everything that can be read in a history: every string, and every payload in clear. */
function readable(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value === null || typeof value !== 'object') return String(value);
  return Object.values(value).map(readable).join('\n');
}
