/**
 * Calls of callers without an account, who pay with x402's own client, on a real chain through x402's own facilitator.
 */
import type { PaymentPayload } from '@x402/core/types';
import { startAgent } from '../../support/agents/test-agent';
import type { TestManifestOptions } from '../../support/agents/manifest';
import { balance, startMarket } from '../../support/market';
import { NETWORK } from '../../support/usdc/chain';
import {
  callOf,
  headerOf,
  identified,
  newContractPayer,
  newIdentifier,
  newPayer,
  paidWith,
  PAY_TO,
  receiptOf,
  requiredOf,
  x402Settings,
} from '../../support/x402/paying';
import { actsOn, bodyOf, INPUT, usePaidScene } from '../../support/x402/paid-scene';

const scene = usePaidScene();
const { asked, invokeUrl, publish, signed, pay, wallet, paymentsOf, received } = actsOn(scene);

describe('a caller without an account', () => {
  it('is asked for a payment that indexes can list', async () => {
    const answer = await asked();
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([402, 'payment_required']);
    expect(requiredOf(answer)).toMatchObject({
      x402Version: 2,
      resource: { url: expect.stringContaining(`/v1/agents/${scene.live.agentId}/invoke`) as unknown },
      accepts: [
        {
          scheme: 'exact',
          network: NETWORK,
          amount: '100000',
          asset: scene.chain.asset,
          payTo: PAY_TO,
          extra: { name: 'USDC', version: '2' },
        },
      ],
      extensions: {
        bazaar: { info: { input: { type: 'http', method: 'POST', bodyType: 'json' } } },
        'payment-identifier': { info: { required: false } },
      },
    });
  });

  it('gets the extension of indexes for an unlisted agent, and the facilitator does not', async () => {
    const hidden = await publish({ credits: 10 });
    const become = (visibility: string) =>
      scene.market.owner.query('SELECT agent_standing_write($1, $2)', [hidden.agentId, visibility]);
    await become('unlisted');
    const { extensions } = requiredOf(await asked(invokeUrl(hidden)));
    expect(Object.keys(extensions ?? {})).toEqual(['bazaar', 'payment-identifier']);
    const payer = await newPayer(scene.chain, 200_000n);
    const answer = await payer.fetch(invokeUrl(hidden), callOf(INPUT));
    expect([answer.status, (await bodyOf(answer)).output]).toEqual([200, INPUT]);
    expect(scene.facilitator.settled.at(-1)?.paymentPayload.extensions ?? {}).not.toHaveProperty('bazaar');
    await become('private');
    const gone = await asked(invokeUrl(hidden));
    expect([gone.status, (await bodyOf(gone)).error?.code]).toEqual([404, 'not_found']);
  });

  it('is asked before its body is read', async () => {
    const answer = await fetch(scene.url, { method: 'POST', body: 'not even JSON' });
    expect(answer.status).toBe(402);
  });

  it('buys a call with the client of x402', async () => {
    const payer = await newPayer(scene.chain, 100_000n);
    const before = { received: await received(), fees: await balance(scene.market.owner, null, 'fees') };
    const answer = await payer.fetch(scene.url, callOf(INPUT));
    const body = await bodyOf(answer);
    expect([answer.status, body.output, body.usage?.credits_charged]).toEqual([200, INPUT, 10]);
    expect(receiptOf(answer)).toMatchObject({
      success: true,
      network: NETWORK,
      payer: payer.address.toLowerCase(),
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/) as unknown,
    });
    expect((await received()) - before.received).toBe(100_000n);
    expect(await scene.chain.balanceOf(payer.address)).toBe(0n);
    expect((await balance(scene.market.owner, null, 'fees')) - before.fees).toBe(30);
    expect(await wallet(payer)).toBe(0);
    expect(await paymentsOf(payer)).toEqual([{ state: 'settled', reason: null, sent: true }]);
  });

  it('keeps an agent that is not listed out of the public index of the facilitator', async () => {
    const { facilitator, market } = scene;
    const live = await publish({});
    await market.owner.query(
      `UPDATE agents SET listed = false, visibility = 'unlisted' WHERE agent_id = $1`,
      [live.agentId],
    );
    const payer = await newPayer(scene.chain, 100_000n);
    expect((await payer.fetch(invokeUrl(live), callOf(INPUT))).status).toBe(200);
    const settled = JSON.stringify(facilitator.settled.at(-1));
    expect(settled).toContain(payer.address);
    expect(settled).not.toContain('bazaar');
    expect(settled).toContain('One call of an agent');
  });

  it('buys by the path of the slug, whose body is the input itself', async () => {
    const payer = await newPayer(scene.chain);
    const owner = (
      await scene.market.owner.query<{ id: string }>(
        'SELECT developer_id AS id FROM users WHERE user_id = $1',
        [scene.developer.userId],
      )
    ).rows[0]?.id;
    const slug = (
      await scene.market.owner.query<{ slug: string }>('SELECT slug FROM agents WHERE agent_id = $1', [
        scene.live.agentId,
      ])
    ).rows[0]?.slug;
    const answer = await payer.fetch(`${scene.market.url}/v1/agents/${owner}/${slug}/use`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(INPUT),
    });
    expect([answer.status, (await bodyOf(answer)).output]).toEqual([200, INPUT]);
    expect(receiptOf(answer)).toMatchObject({ success: true });
  });

  it('pays the most that a metered call may cost, and keeps the rest as credits', async () => {
    const metered = await publish({
      pricing: { model: 'per_token', credits_per_1k_tokens: '1', max_credits_per_call: 50 },
    });
    const payer = await newPayer(scene.chain);
    const ask = await asked(invokeUrl(metered));
    expect(requiredOf(ask).accepts).toMatchObject([{ scheme: 'exact', amount: '500000' }]);
    const answer = await payer.fetch(invokeUrl(metered), callOf(INPUT, { 'x-max-cost-credits': '5' }));
    const charged = (await bodyOf(answer)).usage?.credits_charged ?? 0;
    expect([answer.status, charged]).toEqual([200, 1]);
    expect(await wallet(payer)).toBe(400);
  });

  it.each<[string, TestManifestOptions]>([['costs nothing', { credits: 0 }]])(
    'needs an account for an agent that %s',
    async (_name, options) => {
      const free = await publish(options);
      const answer = await asked(invokeUrl(free));
      expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([401, 'not_authenticated']);
    },
  );

  it('may be a contract that accepts the signature (ERC-1271)', async () => {
    const payer = await newContractPayer(scene.chain, 200_000n);
    const answer = await payer.fetch(scene.url, callOf(INPUT));
    expect([answer.status, (await bodyOf(answer)).output]).toEqual([200, INPUT]);
    expect(receiptOf(answer)).toMatchObject({ success: true, payer: payer.address.toLowerCase() });
    expect(await scene.chain.balanceOf(payer.address)).toBe(100_000n);
    expect(await paymentsOf(payer)).toEqual([{ state: 'settled', reason: null, sent: true }]);

    const other = await newContractPayer(scene.chain, 200_000n);
    const payment = await signed(payer);
    const authorization = {
      ...(payment.payload as { authorization: object }).authorization,
      from: other.address,
    };
    const stolen = await pay({ ...payment, payload: { ...payment.payload, authorization } });
    expect([stolen.status, (await bodyOf(stolen)).error?.message]).toEqual([
      402,
      expect.stringContaining('ERC-1271'),
    ]);
    expect(await paymentsOf(other)).toEqual([]);
  });

  it('has no free calls', async () => {
    const tier = await publish({ credits: 10, freeTierCalls: 5 });
    const payer = await newPayer(scene.chain);
    const answer = await payer.fetch(invokeUrl(tier), callOf(INPUT));
    expect((await bodyOf(answer)).usage?.credits_charged).toBe(10);
  });

  it('may not send a mandate or a quote', async () => {
    const payer = await newPayer(scene.chain);
    const answer = await fetch(scene.url, {
      ...callOf(INPUT, paidWith(await signed(payer))),
      body: JSON.stringify({ input: INPUT, quote_id: 'qte_00000000000000000000000000000000' }),
    });
    expect(answer.status).toBe(422);
    expect(await paymentsOf(payer)).toEqual([]);
  });
});

describe('a call that fails costs nothing', () => {
  it.each(['status', 'wrong_shape'] as const)('when the agent fails by %s', async (kind) => {
    const failing = await startAgent({ behaviour: kind === 'status' ? { kind, status: 500 } : { kind } });
    const { agentId } = await publish({ credits: 10 }, failing.url);
    const payer = await newPayer(scene.chain, 100_000n);
    const settled = scene.facilitator.settled.length;
    const answer = await payer.fetch(invokeUrl({ agentId }), callOf(INPUT));
    expect(answer.status).toBe(502);
    expect(scene.facilitator.settled.length).toBe(settled);
    expect(await scene.chain.balanceOf(payer.address)).toBe(100_000n);
    expect(await wallet(payer)).toBe(0);
    expect(await paymentsOf(payer)).toMatchObject([{ state: 'released', sent: false }]);
    await failing.stop();
  });

  it('when its input is not valid, before it is verified', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    const calls = scene.facilitator.calls.length;
    const answer = await pay(payment, { input: { text: 5 } });
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([422, 'input_schema_mismatch']);
    expect(scene.facilitator.calls.length).toBe(calls);
  });

  it('and the same payment buys a call later, once', async () => {
    const failing = await startAgent({ behaviour: { kind: 'status', status: 500 } });
    const target = invokeUrl(await publish({ credits: 10 }, failing.url));
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await signed(payer, target);
    expect((await pay(payment, { target })).status).toBe(502);
    failing.behave({ kind: 'echo' });
    const [first, second] = [await pay(payment, { target }), await pay(payment, { target })];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await bodyOf(first)).invocation_id).toBe((await bodyOf(second)).invocation_id);
    expect(await scene.chain.balanceOf(payer.address)).toBe(0n);
    await failing.stop();
  });
});

describe('one authorization buys one call', () => {
  it('when it is sent again, which returns the same answer and receipt', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    const before = scene.agent.deliveries.length;
    const first = await pay(payment);
    const second = await pay(payment);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(receiptOf(second)).toEqual(receiptOf(first));
    expect((await bodyOf(second)).invocation_id).toBe((await bodyOf(first)).invocation_id);
    expect(scene.agent.deliveries.length - before).toBe(1);
  });

  it('when two processes get it at once, twenty times', async () => {
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await signed(payer);
    const before = scene.agent.deliveries.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        pay(payment, { target: invokeUrl(scene.live, n % 2 ? scene.market : scene.other) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = await Promise.all(answers.map(async (answer) => (await bodyOf(answer)).invocation_id));
    expect(new Set(ids).size).toBe(1);
    expect(scene.agent.deliveries.length - before).toBe(1);
    expect(await scene.chain.balanceOf(payer.address)).toBe(0n);
  });

  it('and not one of another input or another agent', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    expect((await pay(payment)).status).toBe(200);
    const elsewhere = await publish({ credits: 10 });
    for (const options of [{ input: { text: 'other' } }, { target: invokeUrl(elsewhere) }]) {
      const answer = await pay(payment, options);
      expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([409, 'idempotency_key_reused']);
    }
  });

  it('also under another Idempotency-Key', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    expect((await pay(payment, { headers: { 'idempotency-key': 'one' } })).status).toBe(200);
    const answer = await pay(payment, { headers: { 'idempotency-key': 'two' } });
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([409, 'idempotency_key_reused']);
  });

  it('and an Idempotency-Key buys one call, whatever pays for it', async () => {
    const payer = await newPayer(scene.chain, 200_000n);
    const headers = { 'idempotency-key': 'the-same' };
    const first = await payer.fetch(scene.url, callOf(INPUT, headers));
    const second = await payer.fetch(scene.url, callOf(INPUT, headers));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(receiptOf(second)).toEqual(receiptOf(first));
    expect(await scene.chain.balanceOf(payer.address)).toBe(100_000n);
  });

  it('and a payment-identifier belongs to one payment', async () => {
    const payer = await newPayer(scene.chain);
    const id = newIdentifier();
    expect((await pay(identified(await signed(payer), id))).status).toBe(200);
    const answer = await pay(identified(await signed(payer), id));
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([409, 'idempotency_key_reused']);
  });
});

describe('a payment that does not fit', () => {
  type Change = (payment: PaymentPayload) => unknown;
  const accepted =
    (change: object): Change =>
    (payment) => ({ ...payment, accepted: { ...payment.accepted, ...change } });
  const authorized =
    (change: object): Change =>
    (payment) => ({
      ...payment,
      payload: {
        ...payment.payload,
        authorization: { ...(payment.payload as { authorization: object }).authorization, ...change },
      },
    });
  const wrong: [string, Change, number, string][] = [
    ['another network', accepted({ network: 'eip155:1' }), 402, 'payment_invalid'],
    ['another asset', accepted({ asset: PAY_TO }), 402, 'payment_invalid'],
    ['another amount', accepted({ amount: '1' }), 402, 'payment_invalid'],
    ['another scheme', accepted({ scheme: 'upto' }), 402, 'payment_invalid'],
    ['another receiver', authorized({ to: `0x${'11'.repeat(20)}` }), 402, 'payment_invalid'],
    ['a changed nonce', authorized({ nonce: `0x${'11'.repeat(32)}` }), 402, 'payment_invalid'],
    ['another payer', authorized({ from: `0x${'22'.repeat(20)}` }), 402, 'payment_invalid'],
    ['an expired authorization', authorized({ validBefore: '1' }), 402, 'payment_invalid'],
    ['version 1', (payment) => ({ ...payment, x402Version: 1 }), 400, 'invalid_header'],
    ['a list', () => [], 400, 'invalid_header'],
  ];
  it.each(wrong)('is refused: %s', async (_name, change, status, code) => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    const calls = scene.facilitator.calls.length;
    const answer = await pay(change(payment));
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([status, code]);
    expect(scene.facilitator.calls.length).toBe(calls);
    if (status === 402) expect(requiredOf(answer).accepts).toHaveLength(1);
    expect(await paymentsOf(payer)).toEqual([]);
  });

  it.each(['%%%', 'a'.repeat(13_000), Buffer.from('{"a":1,"a":2}').toString('base64')])(
    'is refused when it is no JSON in base64 (%#)',
    async (header) => {
      const answer = await fetch(scene.url, callOf(INPUT, { 'payment-signature': header }));
      expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([400, 'invalid_header']);
    },
  );

  it('is refused when its payer has too little', async () => {
    const payer = await newPayer(scene.chain, 99_999n);
    const answer = await pay(await signed(payer));
    const { error } = await bodyOf(answer);
    expect([answer.status, error?.code]).toEqual([402, 'payment_invalid']);
    expect(error?.message).toContain('too little');
  });

  it('is refused when it was used elsewhere', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    await scene.facilitator.use(payment);
    const answer = await pay(payment);
    expect([answer.status, (await bodyOf(answer)).error?.message]).toEqual([
      402,
      expect.stringContaining('used or canceled'),
    ]);
  });

  it('is refused when a contract pays that does not accept the signature', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    await scene.chain.setCode(payer.address, '0x60006000fd');
    const changed = authorized({ nonce: `0x${'33'.repeat(32)}` })(payment);
    const answer = await pay(changed);
    expect([answer.status, (await bodyOf(answer)).error?.message]).toEqual([
      402,
      expect.stringContaining('ERC-1271'),
    ]);
    expect(await paymentsOf(payer)).toEqual([]);
  });

  it('is refused when the paying contract does not exist yet', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    const signature = `0x${'00'.repeat(96)}${'6492'.repeat(16)}`;
    const answer = await pay({ ...payment, payload: { ...payment.payload, signature } });
    expect((await bodyOf(answer)).error?.message).toContain('ERC-6492');
  });
});

it('asks for no payment while the setting is off', async () => {
  const closed = await startMarket({
    share: scene.market,
    env: { ...x402Settings(scene.chain, scene.facilitator), X402: 'false' },
  });
  const answer = await fetch(
    invokeUrl(scene.live, closed),
    callOf(INPUT, { 'payment-signature': headerOf({}) }),
  );
  expect([answer.status, answer.headers.get('payment-required')]).toEqual([401, null]);
  await closed.stop();
});
