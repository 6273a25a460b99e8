/** The era of 2026-07-28 on the wire of POST /mcp/a/{agent_id}: discovery, headers that repeat the body, mandates. */
import { balance, putLive, register, type TestUser } from '../../support/market';
import { budget, newSigner, registerSigner, signMandate, signProof } from '../../support/mandates/mandates';
import { legacy, MODERN, modern, modernBody, post } from '../../support/protocols/mcp';
import { useAgent, useMarket } from '../../support/use-market';

const market = useMarket();
let buyer: TestUser;
let developer: TestUser;
const agent = useAgent();
let agentId: string;

beforeAll(async () => {
  developer = await register(market, 'developer');
  buyer = await register(market, 'buyer', 1_000);
  ({ agentId } = await putLive(market, developer.userId, agent.url, { credits: 1 }));
});

const call = { name: 'invoke', arguments: { text: 'hello' } };
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

describe('2026-07-28', () => {
  it('answers server/discover with versions, capabilities, and for how long that holds', async () => {
    const answer = await modern(market, buyer, agentId, 'server/discover');
    expect(answer.status).toBe(200);
    expect(answer.body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([MODERN, '2025-11-25']) as unknown,
      capabilities: { tools: {} },
      ttlMs: expect.any(Number) as unknown,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: agentId, version: '1.0.0' } },
    });
  });

  it('marks the list of tools in the same way', async () => {
    const { result } = (await modern(market, buyer, agentId, 'tools/list')).body;
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
    expect(result?.['nextCursor']).toBeUndefined();
  });

  it.each(['initialize', 'ping', 'logging/setLevel', 'tasks/list', 'tasks/result', 'constructor'])(
    'answers %s with 404 and -32601',
    async (method) => {
      const answer = await modern(market, buyer, agentId, method);
      expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([404, -32601, 1]);
    },
  );

  const mismatches: [string, Record<string, string | undefined>][] = [
    ['no MCP-Protocol-Version', { 'mcp-protocol-version': undefined }],
    ['another MCP-Protocol-Version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no Mcp-Method', { 'mcp-method': undefined }],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method in other letters', { 'mcp-method': 'Tools/Call' }],
    ['no Mcp-Name', { 'mcp-name': undefined }],
    ['another Mcp-Name', { 'mcp-name': 'other' }],
    ['a broken Mcp-Name', { 'mcp-name': '=?base64?!?=' }],
  ];
  it.each(mismatches)('refuses %s with 400 and -32020', async (_name, headers) => {
    agent.forget();
    const answer = await modern(market, buyer, agentId, 'tools/call', call, headers);
    expect([answer.status, answer.body.error?.code, answer.body.id]).toEqual([400, -32020, 1]);
    expect(agent.deliveries).toHaveLength(0);
  });

  it('reads an encoded Mcp-Name', async () => {
    const encoded = `=?base64?${Buffer.from('invoke').toString('base64')}?=`;
    const answer = await modern(market, buyer, agentId, 'tools/call', call, { 'mcp-name': encoded });
    expect(answer.body.result?.['structuredContent']).toEqual({ text: 'hello' });
  });

  it('refuses an unsupported version with 400 and -32022', async () => {
    const body = modernBody('tools/list', {
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
    });
    const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
    const answer = await post(market, buyer, agentId, body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32022]);
    expect(answer.body.error?.data).toEqual({
      supported: expect.arrayContaining([MODERN]) as unknown,
      requested: '2099-01-01',
    });
  });

  it.each([
    ['protocolVersion', { 'io.modelcontextprotocol/clientCapabilities': {} }],
    ['clientCapabilities', { 'io.modelcontextprotocol/protocolVersion': MODERN }],
    ['anything', undefined],
  ])('refuses _meta without %s with 400 and -32602', async (_name, meta) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: meta ? { _meta: meta } : {} };
    const headers = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/list' };
    const answer = await post(market, buyer, agentId, body, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32602]);
  });

  it('refuses initialize under its header', async () => {
    const headers = { 'mcp-protocol-version': MODERN };
    const answer = await legacy(market, buyer, agentId, 'initialize', initialize, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32020]);
  });

  describe('arguments that are repeated in headers', () => {
    let mirrored: string;
    beforeAll(async () => {
      const inputSchema = {
        type: 'object',
        properties: {
          text: { type: 'string', 'x-mcp-header': 'Text' },
          n: { type: 'integer', 'x-mcp-header': 'N' },
        },
      };
      ({ agentId: mirrored } = await putLive(market, developer.userId, agent.url, {
        inputSchema,
        credits: 1,
      }));
    });
    const ask = (headers: Record<string, string>, args: object = { text: 'héllo', n: 3 }) =>
      modern(market, buyer, mirrored, 'tools/call', { name: 'invoke', arguments: args }, headers);
    const text = `=?base64?${Buffer.from('héllo').toString('base64')}?=`;

    it('must be there and the same', async () => {
      for (const headers of [
        {},
        { 'mcp-param-text': text },
        { 'mcp-param-text': 'hello', 'mcp-param-n': '3' },
        { 'mcp-param-text': text, 'mcp-param-n': '4' },
      ] as Record<string, string>[]) {
        const answer = await ask(headers);
        expect([answer.status, answer.body.error?.code]).toEqual([400, -32020]);
      }
      const same = await ask({ 'mcp-param-text': text, 'mcp-param-n': '3.0' });
      expect(same.body.result?.['structuredContent']).toEqual({ text: 'héllo', n: 3 });
    });

    it('need no header where they are absent, and none in the era before', async () => {
      const absent = await ask({ 'mcp-param-text': 'x' }, { text: 'x' });
      expect(absent.body.result?.['isError']).toBeUndefined();
      const before = await legacy(market, buyer, mirrored, 'tools/call', call);
      expect(before.body.result?.['isError']).toBeUndefined();
    });
  });
});

describe('a call under a mandate', () => {
  it('is paid by the signer of the mandate within its limits, and needs a proof from every other caller', async () => {
    const [payer, friend] = [await register(market, 'buyer', 100), await register(market, 'buyer')];
    const { agentId } = await putLive(market, developer.userId, agent.url, { credits: 7 });
    const [signer, holder] = [await registerSigner(market, payer), await newSigner()];
    const { userId } = payer;
    const jws = await signMandate(market, {
      issuer: userId,
      subject: userId,
      signer,
      holder,
      constraints: [budget(15)],
    });
    const ask = (who: TestUser, key: string, proof?: string) => {
      const mandate = { type: 'a2a.spend.v1', jws, ...(proof !== undefined && { proof }) };
      const meta = { 'io.market/mandate': mandate, 'io.market/idempotency_key': key };
      return modern(market, who, agentId, 'tools/call', {
        name: 'invoke',
        arguments: { text: 'x' },
        _meta: meta,
      });
    };
    const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>): unknown => {
      expect([status, body.result?.['isError']]).toEqual([200, true]);
      return body.result?.['_meta']['io.market/error_code'];
    };
    const proof = await signProof(market, {
      jws,
      holder,
      agentId,
      input: { text: 'x' },
      idempotencyKey: 'b',
    });
    expect((await ask(payer, 'a')).body.result?.['_meta']['io.market/credits_charged']).toBe(7);
    expect((await ask(friend, 'b', proof)).body.result?.['_meta']['io.market/credits_charged']).toBe(7);
    expect(codeOf(await ask(friend, 'c'))).toBe('mandate_invalid');
    expect(codeOf(await ask(friend, 'd', proof))).toBe('mandate_invalid');
    expect(codeOf(await ask(payer, 'e'))).toBe('mandate_exceeded');
    expect(await balance(market.owner, userId, 'wallet')).toBe(8_600);
  });
});
