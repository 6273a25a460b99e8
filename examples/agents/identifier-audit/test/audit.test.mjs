import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../audit.mjs';
import { checkIdentifier } from '../checks.mjs';

const CASES = [
  ['978-0-13-110362-7', 'ISBN-13', true],
  ['978-0-13-110362-8', 'ISBN-13', false],
  ['0-306-40615-2', 'ISBN-10', true],
  ['0317-8471', 'ISSN', true],
  ['1050-124X', 'ISSN', true],
  ['0000-0002-1825-0097', 'ORCID', true],
  ['0000-0002-1694-233X', 'ORCID', true],
  ['0000-0002-1825-0098', 'ORCID', false],
  ['4006381333931', 'EAN-13', true],
  ['73513537', 'EAN-8', true],
  ['GB82 WEST 1234 5698 7654 32', 'IBAN', true],
  ['GB82 WEST 1234 5698 7654 33', 'IBAN', false],
];

for (const [identifier, kind, isValid] of CASES)
  test(`${identifier} is ${isValid ? 'a' : 'no'} valid ${kind}`, () =>
    assert.deepEqual(checkIdentifier(identifier), { kind, isValid }));

test('does not know every form', () => assert.equal(checkIdentifier('tea'), undefined));

test('reports its progress, and sums up', async () => {
  const pieces = [];
  const content = '0317-8471\ntea';
  for await (const piece of audit({ messages: [{ role: 'user', content }] }, 0)) pieces.push(piece);
  assert.deepEqual(pieces, [
    '1 of 2: 0317-8471 is a valid ISSN\n',
    '2 of 2: tea has no form that is known here\n',
    '1 of 2 need a look.',
  ]);
});

test('refuses what has no line', () =>
  assert.rejects(audit({ messages: [] }, 0).next(), /messages must end/));
