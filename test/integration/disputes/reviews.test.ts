/** Reviews of paid calls: who may write one, what they count, and records that others can verify. */
import { registerOperator, succeed } from '../../support/disputes/disputes';
import { expectWholeLedger, invoke, putLive, register, type TestUser } from '../../support/market';
import { request } from '../../support/catalogue/publishing';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket({ env: { PUBLIC_READS: 'true' } });
const agent = useAgent();
let developer: TestUser;
let agentId: string;

beforeEach(async () => {
  developer = await register(market, 'developer', 100);
  agent.behave({ kind: 'echo' });
  agentId = (await putLive(market, developer.userId, agent.url, { credits: 3 })).agentId;
});
afterEach(() => expectWholeLedger(market));

interface Review {
  review_id: string;
  rating: number;
  text: string | null;
  weight: number;
  counted: boolean;
  answer: string | null;
  removal_reason: string | null;
}
interface Failure {
  error?: { code: string; message: string };
}
const buyer = () => register(market, 'buyer', 100);
const write = (who: TestUser, call: string, body: unknown = { rating: 4 }) =>
  request<Review & Failure>(market, who, 'POST', `/v1/invocations/${call}/review`, body);
const summary = async () =>
  (await request<{ average: number | null; buyers: number; distribution: number[] }>(market, developer, 'GET', `/v1/agents/${agentId}/review-summary`)).body; // prettier-ignore
const list = async (query = '') =>
  (await request<{ items: Review[]; next_cursor: string | null }>(market, developer, 'GET', `/v1/agents/${agentId}/reviews${query}`)).body; // prettier-ignore
const reviewed = async (rating: number, text?: string) => {
  const who = await buyer();
  const { status, body } = await write(who, await succeed(market, who, agentId), {
    rating,
    ...(text && { text }),
  });
  expect(status).toBe(201);
  return { who, review: body };
};
const refusal = ({ status, body }: { status: number; body: Failure }) => [status, body.error?.code];

it('counts the newest review of each buyer, with its weight, and shows them in pages', async () => {
  expect(await summary()).toMatchObject({ average: null, buyers: 0, distribution: [0, 0, 0, 0, 0] });
  const { who, review } = await reviewed(5, 'Right.');
  expect(review).toMatchObject({ rating: 5, text: 'Right.', weight: 3, counted: true, answer: null });
  await reviewed(2);
  expect(await summary()).toMatchObject({ average: 3.5, buyers: 2, distribution: [0, 1, 0, 0, 1] });
  expect((await write(who, await succeed(market, who, agentId), { rating: 3 })).status).toBe(201);
  expect(await summary()).toMatchObject({ average: 2.5, buyers: 2, distribution: [0, 1, 1, 0, 0] });
  const first = await list('?limit=2');
  expect(first.items.map(({ rating }) => rating)).toEqual([3, 2]);
  expect(JSON.stringify(first)).not.toMatch(/usr_|inv_/);
  const rest = await list(`?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
  expect(rest.items.map(({ rating }) => rating)).toEqual([5]);
});

it('gives more weight to what cost more and to a buyer who has paid others', async () => {
  const dear = (await putLive(market, developer.userId, agent.url, { credits: 63 })).agentId;
  const who = await buyer();
  expect((await write(who, await succeed(market, who, dear))).body.weight).toBe(7);
  const known = await buyer();
  for (let n = 0; n < 2; n += 1) {
    const other = await register(market, 'developer');
    const { agentId: id } = await putLive(market, other.userId, agent.url, { credits: 1 });
    await succeed(market, known, id);
  }
  await market.container.tallies.flush();
  expect((await write(known, await succeed(market, known, agentId))).body.weight).toBe(9);
});

it('refuses a review without a paid success of the buyer', async () => {
  const who = await buyer();
  const other = await buyer();
  const call = await succeed(market, who, agentId);
  expect(refusal(await write(other, call))).toEqual([404, 'not_found']);
  expect(refusal(await write(developer, call))).toEqual([404, 'not_found']);
  expect(refusal(await write(who, `inv_${'0'.repeat(32)}`))).toEqual([404, 'not_found']);
  for (const body of [
    { rating: 0 },
    { rating: 6 },
    { rating: 4.5 },
    { rating: 4, text: 'x'.repeat(1_001) },
    { rating: 4, text: ' ' },
  ])
    // prettier-ignore
    expect(refusal(await write(who, call, body))).toEqual([422, 'validation_failed']);
  expect((await write(who, call)).status).toBe(201);
  expect(refusal(await write(who, call))).toEqual([409, 'invalid_state']);

  const { agentId: free } = await putLive(market, developer.userId, agent.url, {
    credits: 3,
    freeTierCalls: 5,
  });
  const given = await invoke(market, who, free, { input: { text: 'x' } });
  expect(refusal(await write(who, given.body.invocation_id ?? ''))).toEqual([409, 'invalid_state']);
  agent.behave({ kind: 'status', status: 500 });
  const failed = await invoke(market, who, agentId, { input: { text: 'x' } });
  expect(refusal(await write(who, failed.body.invocation_id ?? ''))).toEqual([409, 'invalid_state']);
  agent.behave({ kind: 'echo' });
  const old = await succeed(market, who, agentId);
  await market.owner.query(`UPDATE invocations SET settled_at = now() - interval '31 days' WHERE invocation_id = $1`, [old]); // prettier-ignore
  expect(refusal(await write(who, old))).toEqual([409, 'invalid_state']);
  await market.owner.query(`UPDATE invocations SET settled_at = now() WHERE invocation_id = $1`, [old]);
});

it('is impossible without a receipt, also for the database', async () => {
  const who = await buyer();
  const call = await succeed(market, who, agentId);
  const insert = (id: string, units = 300) =>
    market.owner.query(
      `INSERT INTO reviews (review_id, invocation_id, agent_id, version, developer_user_id, buyer_user_id, unit_id, rating, charged_units, weight)
       SELECT 'rev_' || md5(random()::text), $1, $2, '1.0.0', $3, $4, $4, 5, $5, 1`,
      [id, agentId, developer.userId, who.userId, units],
    );
  await expect(insert(`inv_${'0'.repeat(32)}`)).rejects.toThrow(/no paid success/);
  await expect(insert(call, 1)).rejects.toThrow(/no paid success/);
  await expect(insert(call)).rejects.toThrow(/reviews_invocation_id_fkey/);
  await expect(market.container.pool.query('DELETE FROM reviews')).rejects.toThrow(/permission denied/);
  const { body } = await write(who, call);
  const change = `UPDATE reviews SET rating = 1 WHERE review_id = '${body.review_id}'`;
  await expect(market.owner.query(change)).rejects.toThrow(/does not change/);
});

it('refuses accounts that are related to the developer, and stops counting those found later', async () => {
  const { who, review } = await reviewed(5);
  const friend = await buyer();
  const call = await succeed(market, friend, agentId);
  const sign = (whose: TestUser) =>
    market.owner.query(`SELECT owner_sign_note('payment_method', 'stripe card of the developer', $1)`, [
      whose.userId,
    ]);
  await sign(developer);
  await sign(friend);
  expect(refusal(await write(friend, call))).toEqual([403, 'forbidden']);
  expect(await summary()).toMatchObject({ average: 5, buyers: 1 });
  await sign(who);
  await market.container.agentFigures.followRelations();
  expect(await summary()).toMatchObject({ average: null, buyers: 0 });
  expect((await list()).items).toEqual([]);
  const own = await request<{ items: Review[] }>(market, developer, 'GET', '/v1/developer/reviews');
  expect(own.body.items).toMatchObject([{ review_id: review.review_id, counted: false }]);
});

it('is answered once by the developer, and removed by an operator with a reason', async () => {
  const { who, review } = await reviewed(1, 'It names Ada.');
  const path = `/v1/developer/reviews/${review.review_id}/answer`;
  const answer = (by: TestUser) => request<Review & Failure>(market, by, 'POST', path, { text: 'Fixed.' });
  expect(refusal(await answer(await register(market, 'developer')))).toEqual([404, 'not_found']);
  expect((await answer(developer)).body.answer).toBe('Fixed.');
  expect(refusal(await answer(developer))).toEqual([409, 'invalid_state']);
  expect((await list()).items).toMatchObject([{ answer: 'Fixed.' }]);
  const operator = await registerOperator(market);
  const remove = () =>
    request<Review & Failure>(market, operator, 'POST', `/v1/operator/reviews/${review.review_id}/remove`, { reason: 'A name.' }); // prettier-ignore
  expect((await remove()).status).toBe(200);
  expect(refusal(await remove())).toEqual([409, 'invalid_state']);
  expect((await list()).items).toEqual([]);
  expect(await summary()).toMatchObject({ average: null, buyers: 0 });
  const own = await request<Review>(market, who, 'GET', `/v1/invocations/${await callOf(review)}/review`);
  expect(own.body).toMatchObject({ counted: false, removal_reason: 'A name.' });
  const notices = await market.owner.query<{ type: string }>(
    'SELECT type FROM account_notices WHERE user_id = ANY ($1) ORDER BY notice_id',
    [[who.userId, developer.userId]],
  );
  expect(notices.rows.map(({ type }) => type)).toEqual([
    'review.written',
    'review.answered',
    'review.removed',
  ]);
});

const callOf = async ({ review_id: id }: Review) =>
  (await market.owner.query<{ invocation_id: string }>('SELECT invocation_id FROM reviews WHERE review_id = $1', [id])).rows[0]?.invocation_id; // prettier-ignore

it('hides the reviews of a private agent, and exports signed records of a public one', async () => {
  const { review } = await reviewed(4, 'Good.');
  const path = `/v1/agents/${agentId}/review-feedback`;
  const visitor = await fetch(`${market.url}${path}`);
  const { items } = (await visitor.json()) as {
    items: { review_id: string; feedback: Record<string, unknown>; signature: string }[];
  };
  expect(items).toMatchObject([
    { review_id: review.review_id, feedback: { value: 80, valueDecimals: 0, tag1: 'starred' } },
  ]);
  const [head = '', payload = ''] = items[0]?.signature.split('.') ?? [];
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const keys = (await (await fetch(`${market.url}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[];
  };
  expect(keys.keys.map(({ kid }) => kid)).toContain(header.kid);
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(items[0]?.feedback);
  await market.owner.query(`UPDATE agents SET visibility = 'private', listed = false WHERE agent_id = $1`, [
    agentId,
  ]);
  const stranger = await buyer();
  for (const part of ['reviews', 'review-summary', 'review-feedback'])
    expect((await request(market, stranger, 'GET', `/v1/listings/${agentId}/${part}`)).status).toBe(404);
  expect((await summary()).buyers).toBe(1);
});
