import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCommonPassword } from './common-passwords';

const FOLDER = join(__dirname, 'data');
const text = readFileSync(join(FOLDER, 'common-passwords/common-passwords.txt'), 'utf8');

it('is the list with the recorded origin, licence and hash', () => {
  const hash = createHash('sha256').update(text).digest('hex');
  expect(readFileSync(join(FOLDER, 'README.md'), 'utf8')).toContain(hash);
  expect(readFileSync(join(FOLDER, 'common-passwords/LICENSE'), 'utf8')).toContain('MIT License');
  expect(text.trimEnd().split('\n')).toHaveLength(10_000);
});

// From the NCSC's and NordPass's published lists of most used passwords.
it.each([
  '12345678',
  'password',
  'password1',
  'iloveyou',
  'Qwerty123',
  'sunshine',
  '1q2w3e4r',
  'PASSWORD',
  'liverpool',
  '11111111',
])('contains %s', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

it.each(['correct horse battery', 'kx8#Vq2!mPz0', '', 'password-of-mine-7'])(
  'does not contain %j',
  (password) => {
    expect(isCommonPassword(password)).toBe(false);
  },
);
