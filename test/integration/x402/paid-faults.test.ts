/** Payments by x402 while facilitator, node and processes fail or lie: the chain decides, and no party loses money. */
import { startAgent } from '../../support/agents/test-agent';
import { eventually } from '../../support/waits';
import { callOf, newPayer, type Payer, receiptOf } from '../../support/x402/paying';
import { actsOn, bodyOf, INPUT, usePaidScene } from '../../support/x402/paid-scene';

const scene = usePaidScene();
const { invokeUrl, publish, signed, pay, wallet, paymentsOf, turn } = actsOn(scene);

/** The worker's loop may have claimed the payment a moment before. */
async function until(payer: Payer, state: string): Promise<void> {
  await eventually(async () => {
    await turn();
    return (await paymentsOf(payer))[0]?.state === state;
  });
}

describe('a facilitator', () => {
  it('that is away refuses no money and takes none', async () => {
    scene.facilitator.answers = () => false;
    const payer = await newPayer(scene.chain);
    const answer = await pay(await signed(payer));
    const { error } = await bodyOf(answer);
    expect([answer.status, error?.code, error?.retryable]).toEqual([503, 'not_ready', true]);
    expect(await paymentsOf(payer)).toEqual([]);
  });

  it('that refuses is quoted', async () => {
    scene.facilitator.conduct = 'refuses';
    const answer = await pay(await signed(await newPayer(scene.chain)));
    expect([answer.status, (await bodyOf(answer)).error?.message]).toEqual([
      402,
      expect.stringContaining('not_in_the_mood'),
    ]);
  });

  it.each(['dies after settling', 'lies that it did not', 'settles twice'] as const)(
    'that %s does not matter: the chain has the payment',
    async (conduct) => {
      scene.facilitator.conduct = conduct;
      const payer = await newPayer(scene.chain, 100_000n);
      const answer = await pay(await signed(payer));
      expect(answer.status).toBe(200);
      expect(receiptOf(answer)).toMatchObject({ success: true });
      expect(await scene.chain.balanceOf(payer.address)).toBe(0n);
      expect(await paymentsOf(payer)).toMatchObject([{ state: 'settled' }]);
    },
  );

  it('that does not settle fails the call, which costs nothing', async () => {
    scene.facilitator.conduct = 'does not settle';
    const payer = await newPayer(scene.chain, 100_000n);
    const answer = await pay(await signed(payer));
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([402, 'payment_failed']);
    expect(receiptOf(answer)).toMatchObject({ success: false, errorReason: 'settlement_failed' });
    expect(await wallet(payer)).toBe(0);
    expect(await paymentsOf(payer)).toMatchObject([{ state: 'released', reason: 'payment_failed' }]);
  });

  it('that lies that it settled, or dies, gives no answer away', async () => {
    for (const conduct of ['lies that it settled', 'dies before settling'] as const) {
      scene.facilitator.conduct = conduct;
      const payer = await newPayer(scene.chain, 100_000n);
      const answer = await pay(await signed(payer));
      const { error } = await bodyOf(answer);
      expect([answer.status, error?.code, error?.retryable]).toEqual([503, 'payment_pending', true]);
      expect(answer.headers.get('payment-required')).toBeNull();
      expect(await wallet(payer)).toBe(0);
    }
  });

  it('that settles late leaves credits, with which the same payment buys the call', async () => {
    scene.facilitator.conduct = 'settles late';
    scene.facilitator.lateMs = 4_500;
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await signed(payer);
    expect((await pay(payment)).status).toBe(503);
    expect(await wallet(payer)).toBe(0);
    await Promise.all(scene.facilitator.late.splice(0));
    await until(payer, 'settled');
    expect(await wallet(payer)).toBe(1_000);
    const settled = scene.facilitator.settled.length;
    const again = await pay(payment);
    expect([again.status, receiptOf(again)?.success]).toEqual([200, true]);
    expect(scene.facilitator.settled.length).toBe(settled);
    expect(await wallet(payer)).toBe(0);
    expect((await pay(payment)).status).toBe(200);
  });

  it('that uses an authorization whose call failed gives its payer the credits', async () => {
    const failing = await startAgent({ behaviour: { kind: 'status', status: 500 } });
    const target = invokeUrl(await publish({ credits: 10 }, failing.url));
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await signed(payer, target);
    expect((await pay(payment, { target })).status).toBe(502);
    await scene.facilitator.use(payment);
    await until(payer, 'settled');
    expect(await wallet(payer)).toBe(1_000);
    await failing.stop();
  });
});

describe('a node that is away', () => {
  it('lets no caller pay', async () => {
    const payer = await newPayer(scene.chain);
    const payment = await signed(payer);
    scene.chain.rpc.answers = () => false;
    const answer = await pay(payment);
    expect([answer.status, (await bodyOf(answer)).error?.code]).toEqual([503, 'not_ready']);
    expect(await paymentsOf(payer)).toEqual([]);
  });
});

describe('a process that dies', () => {
  it('between the settlement and the charge leaves credits', async () => {
    const slow = await startAgent({ behaviour: { kind: 'slow', ms: 2_500 } });
    const target = invokeUrl(await publish({ credits: 10 }, slow.url));
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await signed(payer, target);
    const answer = pay(payment, { target });
    await eventually(async () => (await paymentsOf(payer)).length > 0);
    const { rows } = await scene.market.owner.query<{ invocation_id: string }>(
      'SELECT invocation_id FROM x402_payments WHERE payer = $1',
      [payer.address.toLowerCase()],
    );
    // As the sweep of another process does when the lease of a dead one ends, while its payment arrives.
    await scene.facilitator.use(payment);
    await scene.market.owner.query(
      `UPDATE holds SET lease_until = now() - interval '1 minute' WHERE invocation_id = $1`,
      [rows[0]?.invocation_id],
    );
    await scene.market.container.sweep();
    await until(payer, 'settled');
    expect((await answer).status).toBeGreaterThanOrEqual(500);
    expect(await wallet(payer)).toBe(1_000);
    await slow.stop();
  });
});

describe('an unused authorization', () => {
  it('ends when the chain is past it', async () => {
    const failing = await startAgent({ behaviour: { kind: 'status', status: 500 } });
    const payer = await newPayer(scene.chain);
    expect(
      (await payer.fetch(invokeUrl(await publish({ credits: 10 }, failing.url)), callOf(INPUT))).status,
    ).toBe(502);
    await turn();
    expect(await paymentsOf(payer)).toMatchObject([{ state: 'released' }]);
    await scene.chain.mine(2, 600);
    await until(payer, 'expired');
    await failing.stop();
  });
});
