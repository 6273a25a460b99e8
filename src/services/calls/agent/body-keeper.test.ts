import { createCipher } from '../../../kit/crypto/cipher';
import { unpackAnswer } from './answer-format';
import { createBodyKeeper, keptBodyContext, MOST_KEPT_BYTES } from './body-keeper';

const CALL = { invocationId: `inv_${'1'.repeat(32)}`, buyerUserId: `usr_${'2'.repeat(32)}` };
const OUTPUT = { json: Buffer.from('{}'), sha256: '', plain: null, isToolError: false, truncatedBy: null };

/** A keeper whose statements are counted, with what it logs. */
function keeper() {
  const statements: unknown[][] = [];
  const warnings: string[] = [];
  const pool = {
    query: ({ values }: { values: unknown[] }) => {
      statements.push(values);
      return Promise.reject(new Error('the database is away'));
    },
  };
  const cipher = createCipher([{ name: 'test', version: 1, secret: Buffer.alloc(32, 1) }]);
  const logger = { warn: (about: object, text: string) => warnings.push(JSON.stringify(about) + text) };
  const keep = createBodyKeeper({ pool, cipher, quota: 1, logger } as unknown as Parameters<
    typeof createBodyKeeper
  >[0]);
  return { keep, cipher, statements, warnings };
}

it('sends no statement for an account that keeps nothing', async () => {
  const { keep, statements } = keeper();
  await keep.input({ ...CALL, keepsBodies: false }, Buffer.from('{"text":"canary"}'));
  await keep.output({ ...CALL, keepsBodies: false }, OUTPUT);
  expect(statements).toEqual([]);
});

it('logs a fault without the body, and does not fail the call', async () => {
  const { keep, statements, warnings } = keeper();
  await keep.input({ ...CALL, keepsBodies: true }, Buffer.from('{"text":"canary"}'));
  await keep.output({ ...CALL, keepsBodies: true }, OUTPUT);
  expect(statements.map(([id, buyer, part]) => [id, buyer, part])).toEqual([
    [CALL.invocationId, CALL.buyerUserId, 'input'],
    [CALL.invocationId, CALL.buyerUserId, 'output'],
  ]);
  expect(warnings).toHaveLength(2);
  expect(warnings.join()).not.toContain('canary');
  expect(JSON.stringify(statements)).not.toContain('canary');
});

it.each([
  ['application/json', `"${'x'.repeat(MOST_KEPT_BYTES)}"`],
  ['text/plain', 'x'.repeat(MOST_KEPT_BYTES)],
  ['application/octet-stream', 'x'.repeat(MOST_KEPT_BYTES + 1)],
])('keeps no %s of more than 256 KiB', async (inputType, body) => {
  const { keep, statements } = keeper();
  await keep.input({ ...CALL, keepsBodies: true, inputType }, Buffer.from(body));
  expect(statements.map(([, , part, sealed]) => [part, sealed])).toEqual([['input', null]]);
});

it.each([
  ['more levels than JSON may have', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['a key twice', '{"a": 1, "a": 2}'],
  ['an integer that loses digits', '9007199254740993'],
])('keeps a body with %s as text', async (_what, body) => {
  const { keep, cipher, statements } = keeper();
  await keep.input({ ...CALL, keepsBodies: true, inputType: 'application/json' }, Buffer.from(body));
  const packed = await cipher.unseal(
    statements[0]?.[3] as Buffer,
    keptBodyContext(CALL.invocationId, 'input'),
  );
  const plain = { contentType: 'application/json', isBase64: false };
  expect(unpackAnswer(packed)).toEqual({ json: Buffer.from(JSON.stringify(body)), plain });
});
