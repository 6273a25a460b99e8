/** What both sides of a failed call read: the buyer the agent's own words, the developer where it failed. */
import type { Behaviour } from '../../support/agents/behaviours';
import { request } from '../../support/catalogue/publishing';
import { chat, CHAT_SCHEMAS, TURN } from '../../support/calls/chat';
import { invoke, putLive, register } from '../../support/market';
import { newSlug } from '../../support/names';
import { useScene } from '../../support/use-market';

const scene = useScene();

interface SeenError {
  code: string;
  message: string;
  agent_message?: string;
}
interface SeenCall {
  error: SeenError | null;
  failure: {
    phase: string;
    http_status: number | null;
    schema_path: string | null;
    problem: string | null;
  } | null;
}

const refusal = (message: unknown, status = 422): Behaviour => ({
  kind: 'answer',
  status,
  output: { error: { message, trace: 'at Object.<anonymous> (/srv/agent.js)' } },
});

/** Calls the agent of the scene, which behaves so. */
async function fail(behaviour: Behaviour) {
  const { market, agent, agentId, buyer, developer } = scene;
  agent.behave(behaviour);
  const { status, body } = await invoke(market, buyer, agentId, { input: { text: 'hello' } });
  agent.behave({ kind: 'echo' });
  const id = body.invocation_id ?? '';
  const path = `/v1/developer/agents/${agentId}/calls`;
  const [own, sold, listed] = await Promise.all([
    request<SeenCall>(market, buyer, 'GET', `/v1/invocations/${id}`),
    request<SeenCall>(market, developer, 'GET', `${path}/${id}`),
    request<{ items: (SeenCall & { invocation_id: string })[] }>(
      market,
      developer,
      'GET',
      `${path}?status=failed`,
    ),
  ]);
  const inList = listed.body.items.find(({ invocation_id }) => invocation_id === id);
  return { status, error: body.error as SeenError | undefined, id, own: own.body, sold: sold.body, inList };
}

describe('a call that the agent refuses', () => {
  it('shows the words of the agent to the buyer, now and later, and the status to the developer', async () => {
    const call = await fail(refusal('I do not take\nthis text.'));
    expect(call.status).toBe(502);
    expect(call.error).toMatchObject({
      code: 'agent_error',
      message: expect.not.stringContaining('text') as string,
    });
    expect(call.error?.agent_message).toBe('I do not take this text.');
    expect(call.own.error?.agent_message).toBe('I do not take this text.');
    const failure = { phase: 'answer', http_status: 422, schema_path: null, problem: null };
    expect(call.sold).toMatchObject({ failure, error: { code: 'agent_error' } });
    expect(call.inList?.failure).toEqual(failure);
    expect(JSON.stringify([call.sold, call.inList])).not.toContain('this text');
    expect(JSON.stringify(call.own)).not.toContain('/srv/');
  });

  it('hides the address of the agent in its words', async () => {
    const { host } = new URL(scene.agent.url);
    const { own } = await fail(refusal(`Ask https://${host}/admin instead.`));
    expect(own.error?.agent_message).toMatch(/^Ask /);
    expect(JSON.stringify(own)).not.toContain(host);
  });

  it.each([
    ['an error of the agent', refusal('stack', 500)],
    ['a refusal of the marketplace', refusal('bad key', 401)],
    ['words that are no text', refusal({ secret: 1 })],
    ['another body', { kind: 'answer', status: 422, output: { message: 'words' } } satisfies Behaviour],
    ['too long a body', refusal('x'.repeat(70_000))],
  ])('shows no words of %s', async (_name, behaviour) => {
    const { error, own } = await fail(behaviour);
    expect(error?.code).toBe('agent_error');
    expect([error, own.error]).toEqual([
      error,
      expect.not.objectContaining({ agent_message: expect.anything() as unknown }),
    ]);
    expect(error).not.toHaveProperty('agent_message');
  });

  it('shows the words at the end of a stream', async () => {
    const { market, agent, buyer, developer } = scene;
    const { agentId } = await putLive(market, developer.userId, agent.url, { ...CHAT_SCHEMAS, agentId: newSlug('words') }); // prettier-ignore
    agent.behave(refusal('Not this topic.'));
    const reply = await chat(market, buyer, agentId, TURN);
    agent.behave({ kind: 'echo' });
    const said = reply.last?.error ?? reply.refusal.error;
    expect(said).toMatchObject({ code: 'agent_error', agent_message: 'Not this topic.' });
  });
});

describe('a call that fails otherwise', () => {
  it('names the place that violates the output schema', async () => {
    const { sold } = await fail({ kind: 'answer', output: { text: 7 } });
    expect(sold.failure).toMatchObject({ phase: 'schema', http_status: 200, schema_path: '/text' });
    expect(sold.failure?.problem).toMatch(/string/);
  });

  it('says that no response came', async () => {
    const { sold } = await fail({ kind: 'dies_before_answer' });
    expect(sold.failure).toMatchObject({ phase: 'connection', http_status: null });
  });

  it('is 404 to other developers, and under another agent', async () => {
    const { market, agent, agentId, developer } = scene;
    const { id } = await fail(refusal('No.'));
    const other = await register(market, 'developer');
    const path = (agentOf: string) => `/v1/developer/agents/${agentOf}/calls/${id}`;
    expect((await request(market, other, 'GET', path(agentId))).status).toBe(404);
    const { agentId: second } = await putLive(market, developer.userId, agent.url, {
      agentId: newSlug('second'),
    });
    expect((await request(market, developer, 'GET', path(second))).status).toBe(404);
  });
});
