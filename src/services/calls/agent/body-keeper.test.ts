import { createCipher } from '../../../kit/crypto/cipher';
import { createBodyKeeper, MOST_KEPT_BYTES } from './body-keeper';

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
  return { keep, statements, warnings };
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
