/** Calls over A2A of callers without an account, in the shapes of x402's A2A transport, in both versions of A2A. */
import { x402Client } from '@x402/core/client';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { toClientEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { startAgent } from '../../support/agents/test-agent';
import { NETWORK } from '../../support/usdc/chain';
import { newPayer, type Payer } from '../../support/x402/paying';
import { actsOn, INPUT, usePaidScene } from '../../support/x402/paid-scene';

const scene = usePaidScene();
const { publish, paymentsOf, wallet } = actsOn(scene);
const EXTENSION = 'https://github.com/google-a2a/a2a-x402/v0.1';

type Meta = Record<string, unknown>;
interface Task {
  id: string;
  contextId: string;
  status: { state: string; message?: { parts: Meta[]; metadata?: Meta } };
  artifacts?: { parts: Meta[] }[];
  metadata?: Meta;
}
interface Sent {
  agentId?: string;
  taskId?: string;
  metadata?: Meta;
  input?: unknown;
  headers?: Record<string, string>;
}

/** A version of A2A as its clients write it. */
interface Version {
  method: string;
  headers: Record<string, string>;
  state: (name: string) => string;
  message: (data: unknown) => Meta;
  task: (result: Meta) => Task;
}
const VERSIONS: Record<string, Version> = {
  '0.3': {
    method: 'message/send',
    headers: { 'X-A2A-Extensions': EXTENSION },
    state: (name) => name,
    message: (data) => ({ role: 'user', parts: [{ kind: 'data', data }] }),
    task: (result) => result as unknown as Task,
  },
  '1.0': {
    method: 'SendMessage',
    headers: { 'A2A-Version': '1.0', 'A2A-Extensions': EXTENSION },
    state: (name) => `TASK_STATE_${name.toUpperCase().replace('-', '_')}`,
    message: (data) => ({ role: 'ROLE_USER', parts: [{ data }] }),
    task: (result) => result['task'] as Task,
  },
};
let count = 0;

async function send(version: Version, { agentId, taskId, metadata, input = INPUT, headers }: Sent = {}) {
  count += 1;
  const message = {
    ...version.message(input),
    messageId: `m-${count}`,
    ...(taskId !== undefined && { taskId }),
    ...(metadata && { metadata }),
  };
  const answer = await fetch(`${scene.market.url}/v1/a2a/${agentId ?? scene.live.agentId}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers ?? version.headers) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: version.method, params: { message } }),
  });
  const body = (await answer.json()) as { result?: Meta; error?: Meta };
  return { answer, body, task: body.result && version.task(body.result) };
}

const metadataIn = (task: Task | undefined): Meta => task?.status.message?.metadata ?? {};

/** Signs what a task asks for, with the client of x402. */
async function sign({ account }: Payer, task: Task | undefined): Promise<PaymentPayload> {
  const client = x402Client.fromConfig({
    schemes: [{ network: NETWORK, client: new ExactEvmScheme(toClientEvmSigner(account)) }],
    spendControls: false,
  });
  return client.createPaymentPayload(metadataIn(task)['x402.payment.required'] as PaymentRequired);
}

const ORDER = JSON.stringify({ input: INPUT, contextId: 'c', maxCostCredits: 10.5 });
const HALF_A_CREDIT = `x402_${Buffer.from(ORDER).toString('base64url')}`;

const submitted = (payment: unknown): Meta => ({
  'x402.payment.status': 'payment-submitted',
  'x402.payment.payload': payment,
});
/** The second message, as the specification shows it: the payment, the id of the task, and no input. */
const paying = (version: Version, task: Task | undefined, payment: unknown) =>
  send(
    {
      ...version,
      message: () => ({
        ...version.message({}),
        parts: [version.method === 'SendMessage' ? { text: 'Paid.' } : { kind: 'text', text: 'Paid.' }],
      }),
    },
    { taskId: task?.id ?? '', metadata: submitted(payment) },
  );

describe.each(Object.entries(VERSIONS))('a caller without an account over A2A %s', (_name, version) => {
  it('is asked by a task, pays with its id, and gets the answer with the receipt', async () => {
    const payer = await newPayer(scene.chain, 100_000n);
    const asked = await send(version);
    expect([asked.answer.status, asked.task?.status.state]).toEqual([200, version.state('input-required')]);
    expect(metadataIn(asked.task)).toMatchObject({
      'x402.payment.status': 'payment-required',
      'x402.payment.required': { x402Version: 2, accepts: [{ scheme: 'exact', amount: '100000' }] },
    });
    const payment = await sign(payer, asked.task);
    const { task } = await paying(version, asked.task, payment);
    expect(task).toMatchObject({
      id: asked.task?.id,
      contextId: asked.task?.contextId,
      status: { state: version.state('completed') },
      artifacts: [{ parts: [{ data: INPUT }] }],
      metadata: { 'io.market/credits_charged': 10 },
    });
    expect(metadataIn(task)).toMatchObject({
      'x402.payment.status': 'payment-completed',
      'x402.payment.receipts': [{ success: true, network: NETWORK, payer: payer.address.toLowerCase() }],
    });
    expect(await scene.chain.balanceOf(payer.address)).toBe(0n);

    const before = scene.agent.deliveries.length;
    const again = await paying(version, asked.task, payment);
    expect(again.task?.metadata?.['io.market/invocation_id']).toBe(
      task?.metadata?.['io.market/invocation_id'],
    );
    expect(scene.agent.deliveries.length).toBe(before);
    expect(await paymentsOf(payer)).toEqual([{ state: 'settled', reason: null, sent: true }]);
  });

  it('may send the payment with the input', async () => {
    const payer = await newPayer(scene.chain, 100_000n);
    const payment = await sign(payer, (await send(version)).task);
    const { task } = await send(version, {
      metadata: submitted(payment),
      headers: version.method === 'SendMessage' ? { 'A2A-Version': '1.0' } : {},
    });
    expect(task?.status.state).toBe(version.state('completed'));
  });

  it('pays nothing for a call that fails', async () => {
    const broken = await startAgent({ behaviour: { kind: 'status', status: 500 } });
    const { agentId } = await publish({ credits: 10 }, broken.url);
    const payer = await newPayer(scene.chain, 100_000n);
    const asked = await send(version, { agentId });
    const payment = await sign(payer, asked.task);
    const { task } = await send(version, {
      agentId,
      taskId: asked.task?.id ?? '',
      metadata: submitted(payment),
    });
    expect(task?.status.state).toBe(version.state('failed'));
    expect(metadataIn(task)).toMatchObject({
      'x402.payment.status': 'payment-failed',
      'x402.payment.error': 'agent_error',
    });
    expect(await scene.chain.balanceOf(payer.address)).toBe(100_000n);
    expect(await wallet(payer)).toBe(0);
    await broken.stop();
  });

  it('is refused a payment that does not fit, with what to pay', async () => {
    const payer = await newPayer(scene.chain, 1n);
    const asked = await send(version);
    const { task } = await paying(version, asked.task, await sign(payer, asked.task));
    expect(task?.status.state).toBe(version.state('failed'));
    expect(metadataIn(task)).toMatchObject({
      'x402.payment.status': 'payment-failed',
      'x402.payment.error': 'payment_invalid',
      'x402.payment.required': { accepts: [{ amount: '100000' }] },
    });
  });

  it('repeats the request with the same payment while the chain cannot be read', async () => {
    const payer = await newPayer(scene.chain, 100_000n);
    const asked = await send(version);
    const payment = await sign(payer, asked.task);
    scene.chain.rpc.answers = () => false;
    const { task, body } = await paying(version, asked.task, payment);
    expect([task, body.error]).toEqual([undefined, expect.anything()]);
    scene.chain.rpc.answers = () => true;
    const paid = await paying(version, asked.task, payment);
    expect(paid.task?.status.state).toBe(version.state('completed'));
  });

  it('may decline to pay', async () => {
    const asked = await send(version);
    const { task } = await send(version, {
      taskId: asked.task?.id ?? '',
      metadata: { 'x402.payment.status': 'payment-rejected' },
    });
    expect(metadataIn(task)['x402.payment.status']).toBe('payment-rejected');
  });

  it.each([
    ['an input that the agent does not take', { input: { text: 5 } }, 422],
    ['an input that no id of a task can carry', { input: { text: 'x'.repeat(20_000) } }, 413],
    ['the id of a task that does not exist', { taskId: 'x402_AAAA' }, 200],
    ['the id of a task whose ceiling is no whole number', { taskId: HALF_A_CREDIT }, 200],
    ['the id of a task of an account', { taskId: `inv_${'0'.repeat(32)}` }, 200],
  ])('is refused %s', async (_what, sent, status) => {
    const { answer, body, task } = await send(version, sent);
    expect(task).toBeUndefined();
    expect([answer.status, body.error?.['code']]).toEqual([
      status,
      status === 200 ? -32_001 : expect.anything(),
    ]);
  });

  it('without the extension and without a payment learns that it must log in', async () => {
    const { answer } = await send(version, {
      headers: version.method === 'SendMessage' ? { 'A2A-Version': '1.0' } : {},
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });
});

it('the card of an agent names the extension', async () => {
  const card = await fetch(`${scene.market.url}/v1/a2a/${scene.live.agentId}/.well-known/agent-card.json`);
  const { capabilities } = (await card.json()) as { capabilities: { extensions: { uri: string }[] } };
  expect(capabilities.extensions.map(({ uri }) => uri)).toContain(EXTENSION);
  const free = await publish({ credits: 0 });
  const other = await fetch(`${scene.market.url}/v1/a2a/${free.agentId}/.well-known/agent-card.json`);
  expect(JSON.stringify(await other.json())).not.toContain(EXTENSION);
});
