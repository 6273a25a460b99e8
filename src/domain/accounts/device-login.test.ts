import { newUserCode, readUserCode, showUserCode, USER_CODE_LETTERS } from './device-login';

it('reads a code as people type it', () => {
  for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'bcdf–ghjk', 'b-c-d-f-g-h-j-k'])
    expect([text, readUserCode(text)]).toEqual([text, 'BCDFGHJK']);
  for (const text of [
    '',
    'BCDF-GHJ',
    'BCDF-GHJKL',
    'ABCD-EFGH',
    'BCDF_GHJK',
    "BCDF' OR",
    'ﬀﬀﬀﬀ',
    'ß'.repeat(8),
    ' '.repeat(41),
  ])
    expect([text, readUserCode(text)]).toEqual([text, undefined]);
  expect(showUserCode('BCDFGHJK')).toBe('BCDF-GHJK');
});

it('makes codes of all letters that it reads again', () => {
  let next = 0;
  const codes = Array.from({ length: 40 }, () => newUserCode((below) => next++ % below));
  expect(new Set(codes.join(''))).toEqual(new Set(USER_CODE_LETTERS));
  for (const code of codes) expect(readUserCode(showUserCode(code))).toBe(code);
});
