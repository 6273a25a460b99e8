import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DividedMessage } from '../mcp/divided-message';
import type { BodyTask } from './body-task';
import { createBodyThreads } from './body-threads';

const MESSAGE: BodyTask = {
  kind: 'mcp',
  namesTool: false,
  hasMandate: false,
  mandateKey: 'io.market/mandate',
};
const threads = createBodyThreads();
afterAll(() => threads.close());

const callOf = (args: string, more = '') =>
  Buffer.from(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"invoke","arguments":${args}${more}}}`,
  );
const perform = (body: Buffer, task: BodyTask = MESSAGE) =>
  threads.perform<DividedMessage>('acc', task, body);

describe('a message of MCP', () => {
  it.each([
    ['in the process', '"x"'],
    ['in a thread', JSON.stringify('x'.repeat(600_000))],
  ])('is divided %s into what is parsed again and the input of the call', async (_where, long) => {
    const args = `{"text":${long},"city":"Lisbon","at":{"zone":"WET","list":[1]},"__proto__":{"a":1}}`;
    const { body, input, shortArguments } = await perform(callOf(args, ',"_meta":{"k":1}'));
    expect(body).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'invoke', _meta: { k: 1 } } });
    expect(input?.body.toString()).toBe(args);
    expect(shortArguments).toMatchObject({ city: 'Lisbon', at: { zone: 'WET' } });
    expect(JSON.stringify(shortArguments)).not.toContain('list');
  }); // prettier-ignore

  it('names its tool in the input of an MCP server, and has a canonical form for a mandate only', async () => {
    const server = { ...MESSAGE, namesTool: true };
    const { input, canonical } = await perform(callOf('{"b":1,"a":2}'), server);
    expect([input?.body.toString(), canonical]).toEqual(['{"tool":"invoke","arguments":{"b":1,"a":2}}', '']);
    const paid = await perform(callOf('{"b":1,"a":2}', ',"_meta":{"io.market/mandate":{}}'));
    expect(paid.canonical).toBe('{"a":2,"b":1}');
  });

  it('that is large beside its arguments is refused', async () => {
    const large = callOf('{}', `,"_meta":{"x":[${'[],'.repeat(200_000)}1]}`);
    await expect(perform(large)).rejects.toMatchObject({ code: 'payload_too_large' });
  });

  it('delays other work of the process by little, however large it is', async () => {
    const body = callOf(`{"list":[${'{"b":[1],"a":{}},'.repeat(90_000)}1]}`);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const beganAt = performance.now();
    delay.enable();
    await perform(body);
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan((performance.now() - beganAt) / 2);
  });
});
