import { MarketError } from '../../domain/errors';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';
import { unknownTool, type ToolLists } from './known-tool';

const tool = { version: { kind: 'mcp' } as ServingVersion, name: 'nothing', hops: 0 };

function listing(names: string[], isKnown = true): ToolLists {
  return {
    isKnown: () => Promise.resolve(isKnown),
    find: () => Promise.resolve(undefined),
    of: () => Promise.resolve({ names, json: () => Buffer.from('[]'), find: () => undefined }),
  };
}

const refusal = (lists: ToolLists, cached = true) => unknownTool(lists, tool, { cached });

it('names the tools, at most 50 names of 128 characters', async () => {
  const error = await refusal(listing(Array.from({ length: 60 }, () => 'x'.repeat(10_000))));
  expect(error?.code).toBe('input_schema_mismatch');
  expect(error?.message).toMatch(
    /^The agent has no tool "nothing"\. Its tools are: x{128}, .*, and 10 more\.$/,
  );
  expect(error?.message.length).toBeLessThan(7_000);
});

it('does not ask a server whose tools are unknown, unless the call failed', async () => {
  expect(await refusal(listing(['a'], false))).toBeUndefined();
  expect((await refusal(listing(['a'], false), false))?.message).toContain('Its tools are: a.');
});

it('refuses nothing when the server does not list its tools', async () => {
  const silent = { ...listing([]), find: () => Promise.reject(new MarketError('agent_unreachable')) };
  expect(await refusal(silent, false)).toBeUndefined();
});
