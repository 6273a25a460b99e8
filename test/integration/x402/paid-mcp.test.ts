/** `tools/call` of callers without credentials, who pay by x402's binding to MCP. */
import { MODERN, modernBody } from '../../support/protocols/mcp';
import { startAgent } from '../../support/agents/test-agent';
import { newPayer, type Payer } from '../../support/x402/paying';
import { actsOn, INPUT, usePaidScene } from '../../support/x402/paid-scene';

const scene = usePaidScene();
const { signed, wallet, paymentsOf, publish, asked, invokeUrl } = actsOn(scene);
const EXTENSION = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'org.x402/payment': {} } },
};

interface Result {
  resultType?: string;
  paymentRequired?: { accepts: { amount: string }[] };
  structuredContent?: { x402Version?: number; accepts?: unknown[]; text?: string };
  content?: { text: string }[];
  isError?: boolean;
  _meta?: Record<string, { success?: boolean; payer?: string }>;
}

/** A call without credentials, in the older era. */
async function call(meta: object, agentId = scene.live.agentId): Promise<[number, Result]> {
  const answer = await fetch(`${scene.market.url}/mcp/a/${agentId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'invoke', arguments: INPUT, _meta: meta },
    }),
  });
  return [answer.status, ((await answer.json()) as { result: Result }).result];
}

const paid = async (payer: Payer) => ({ 'x402/payment': await signed(payer) });

it('buys a call, once, and gets its receipt', async () => {
  const payer = await newPayer(scene.chain, 100_000n);
  const meta = await paid(payer);
  for (const _time of [1, 2]) {
    const [status, result] = await call(meta);
    expect([status, result.isError, result.structuredContent]).toEqual([200, undefined, INPUT]);
    expect(result._meta?.['x402/payment-response']).toMatchObject({
      success: true,
      payer: payer.address.toLowerCase(),
    });
  }
  expect(await scene.chain.balanceOf(payer.address)).toBe(0n);
});

it('is asked for the payment in both places when the payment does not fit', async () => {
  const payer = await newPayer(scene.chain);
  const { 'x402/payment': payment } = await paid(payer);
  const [status, result] = await call({
    'x402/payment': { ...payment, accepted: { ...payment.accepted, amount: '1' } },
  });
  expect([status, result.isError]).toEqual([200, true]);
  expect(JSON.parse(result.content?.[0]?.text ?? '')).toEqual(result.structuredContent);
  expect(result.structuredContent).toMatchObject({ x402Version: 2, accepts: [{ amount: '100000' }] });
});

it('costs nothing when the call fails', async () => {
  const failing = await startAgent({ behaviour: { kind: 'status', status: 500 } });
  const { agentId } = await publish({ credits: 10 }, failing.url);
  const payer = await newPayer(scene.chain, 100_000n);
  const payment = await payer.sign(await asked(invokeUrl({ agentId })));
  const [, result] = await call({ 'x402/payment': payment }, agentId);
  expect(result.isError).toBe(true);
  expect([await wallet(payer), await scene.chain.balanceOf(payer.address)]).toEqual([0, 100_000n]);
  expect(await paymentsOf(payer)).toMatchObject([{ state: 'released', sent: false }]);
  await failing.stop();
});

it('gets the price by the result of the extension', async () => {
  const body = modernBody('tools/call', { name: 'invoke', arguments: INPUT });
  Object.assign(body.params._meta, EXTENSION);
  const answer = await fetch(`${scene.market.url}/mcp/a/${scene.live.agentId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': 'invoke',
    },
    body: JSON.stringify(body),
  });
  const { result } = (await answer.json()) as { result: Result };
  expect(result).toMatchObject({
    resultType: 'payment_required',
    paymentRequired: { x402Version: 2, accepts: [{ amount: '100000' }] },
  });
});

it('must log in for anything else', async () => {
  expect((await call({}))[0]).toBe(401);
  const answer = await fetch(`${scene.market.url}/mcp/a/${scene.live.agentId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: EXTENSION } }),
  });
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('resource_metadata') as unknown,
  ]);
});
