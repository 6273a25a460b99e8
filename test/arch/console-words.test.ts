/** What the console says and draws without a browser: messages for people, amounts of top-ups, versions, QR codes. */
import { createHash } from 'node:crypto';
import { amountIn, isWithin, minorOf } from '../../console/src/features/wallet/amounts';
import { nextVersion } from '../../console/src/features/own-agents/next-version';
import { clientName } from '../../console/src/ui/client-name';
import { isolated } from '../../console/src/ui/isolated';
import { creditsText } from '../../console/src/ui/format';
import { plainField, plainMessage, plainProblem } from '../../console/src/ui/plain-words';
import { qrModules } from '../../console/src/ui/qr';
import { defaultMessage, ERROR_CODES } from '../../src/domain/errors';

describe('a message', () => {
  it.each([
    [
      'insufficient_credits',
      'The fee is 1000 credits; the wallet has 0 credits. Top it up (POST /v1/billing/topup), then pay again.',
      'The fee is 1000 credits; the wallet has 0 credits. Top it up, then pay again.',
    ],
    [
      'forbidden',
      'This needs an authenticator app. Enrol one first: POST /v1/auth/authenticator, or market totp enrol.',
      'This needs an authenticator app. Enrol one first.',
    ],
    ['invalid_state', 'The agent is suspended.', 'The agent is suspended.'],
    [
      'invalid_state',
      'Wait until one expires, or rotate with grace_seconds 0, which ends the others.',
      'Wait until one expires, or rotate with grace seconds 0, which ends the others.',
    ],
    [
      'invalid_state',
      'This agent does not chat. Call it with POST /v1/agents/agt_x_v1/invoke; GET /v1/listings/agt_x_v1 has its input schema.',
      'This agent does not chat.',
    ],
    ['not_found', 'Send the header X-API-Key.', 'The marketplace refused this.'],
    [
      'not_found',
      'There is no agt_unit_converter_v1 and no usr_0190.',
      'There is no agt_unit_converter_v1 and no usr_0190.',
    ],
    ['validation_failed', 'contextId is not that of the task.', 'context id is not that of the task.'],
    [
      'validation_failed',
      'The key "my_server iPhone" may not call https://agent.example.com/my_path/getAll; set endpoint_url.',
      'The key "my_server iPhone" may not call https://agent.example.com/my_path/getAll; set endpoint url.',
    ],
  ])('of %s has no operation and no command', (code, message, expected) => {
    expect(plainMessage(code, message)).toBe(expected);
  });

  it('of every error code names no operation and no command', () => {
    const shown = ERROR_CODES.map((code) => plainMessage(code, defaultMessage(code)));
    expect(shown.filter((text) => /\/v1\/|\bmarket [a-z]+ [a-z]+\b|X-API-Key/.test(text))).toEqual([]);
  });

  it('counts one credit as one, also where it leaves', () => {
    const [one, gone, two] = [1, -1, 2].map(creditsText);
    expect([one, gone, two].map((text) => text?.split(' ').at(-1))).toEqual(['credit', 'credit', 'credits']);
  });

  it('names fields as forms do', () => {
    expect(plainField(['body', 'displayName'])).toBe('Display name');
    expect(plainField(['body', 'access_config', 'endpoint_url'])).toBe('Endpoint url');
    expect(plainProblem('must NOT have additional properties')).toBe('Is not a field that is known here');
    expect(plainProblem('must have at most 80 characters')).toBe('Must have at most 80 characters');
    expect(plainProblem('give exactly one of iban and account_number')).toBe(
      'Give exactly one of iban and account number',
    );
  });
});

describe('a top-up', () => {
  it('keeps its credits in another currency', () => {
    expect(amountIn(500, 1, 100)).toBe(5);
    expect(amountIn(5, 100, 1)).toBe(500);
    expect(amountIn('', 100, 1)).toBe('');
  });

  it('is paid as it was typed, or not at all', () => {
    const limits = { minimum_minor: 100, maximum_minor: 1_000 };
    expect([0.5, '0.5', 1, 10, 10.01, '', 'x'].map(minorOf)).toEqual([50, 50, 100, 1_000, 1_001, 0, 0]);
    expect([50, 100, 1_000, 1_001].map((minor) => isWithin(minor, limits))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

it('keeps what runs from right to left apart from the sentence around it', () => {
  const LATIN = ['Ada', 'Željka', 'Ελένη', '12 May 2026', '山田'];
  expect(LATIN.map(isolated)).toEqual(LATIN);
  const others = ['שלום', 'تحليل', '١٬٢٣٤', 'ޝިޔަ', 'Ada تحليل'];
  expect(others.map(isolated)).toEqual(others.map((text) => `\u2068${text}\u2069`));
});

it('suggests the next version of an agent', () => {
  expect(['1.0.0', '2.3.9', '1.0.0-beta.1'].map(nextVersion)).toEqual(['1.0.1', '2.3.10', '1.0.1']);
});

describe('a QR code', () => {
  const drawn = (text: string) =>
    qrModules(text)
      .map((row) => row.map((dark) => (dark ? '#' : '.')).join(''))
      .join('\n');
  const LONG =
    'otpauth://totp/Agent%20Marketplace:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Agent%20Marketplace'.padEnd(
      420,
      '&x=1',
    );

  it('has the modules of level L and mask 0', () => {
    expect(drawn('market')).toBe(
      `
#######...#.#.#######
#.....#.....#.#.....#
#.###.#.#.#...#.###.#
#.###.#.....#.#.###.#
#.###.#..#.##.#.###.#
#.....#..###..#.....#
#######.#.#.#.#######
........#.#..........
###.#####.#.###...#..
#...#..##..#.#.#.#.##
###.#.#..###.###.####
#....#.#..####.##....
..#..###..##.###.#.#.
........###...##.#.##
#######.##..#...#..##
#.....#.#.....##...##
#.###.#.###.#.###..##
#.###.#....#.#..####.
#.###.#.####.#####..#
#.....#.#.####.....#.
#######.#..#.####..##`.trim(),
    );
    const sha = (text: string) => createHash('sha256').update(drawn(text)).digest('hex');
    expect(sha(LONG.slice(0, 126))).toBe('3484594ef026f8e1f1958075b9e8136d07ee0853bde685be5a41ead548ec8912');
    expect(sha(LONG)).toBe('54442eea2b2b470da090f6a3c1170096506e72c87ddb294ccc6a9bc82e3502b1');
  });

  it('refuses a text that does not fit', () => {
    expect(() => qrModules('x'.repeat(859))).toThrow(RangeError);
  });
});

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  ['agent-marketplace-cli/0.1.0', 'agent-marketplace-cli/0.1.0'],
  [null, 'Unknown'],
])('a session of %s is shown as %s', (userAgent, name) => {
  expect(clientName(userAgent)).toBe(name);
});
