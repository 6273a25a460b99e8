import { certainKinds, personalDataIn } from './personal-data';
import { textOfAnswer } from './answer-text';

describe('personal data in an output', () => {
  it.each([
    ['Write to maria.oliveira@posteo-mail.de today', ['email_address']],
    ['call +49 30 901820 now', ['phone_number']],
    ['card 5500 0055 5555 5559', ['payment_card']],
    ['DE89 3704 0044 0532 0130 00', ['bank_account']],
    ['SSN 219-09-9999', ['us_social_security']],
    ['PAN ABCPE1234F', ['india_pan']],
  ])('is found in %s', (output, kinds) => {
    expect(personalDataIn(output, '').map(({ kind }) => kind)).toEqual(kinds);
  });

  it.each([
    'a@example.com, no-reply@shop.de, somebody@host.test',
    'order 5500 0055 5555 5558 has a wrong check digit',
    '4242 4242 4242 4242 is for tests',
    'DE89 3704 0044 0532 0130 01',
    'part 000-12-3456, date 2026-11-21, 12345678901234567890, +1 202 555 0143',
    'support@shop-online.de, press+eu@shop-online.de, privacy@shop-online.de, Billing@shop-online.de',
    'Freephone +1 800 234 5678 or +44 800 123 4567',
    'version 1.2.3, ids 01a1fed6b51d7cfca8f420e2ee43857a',
  ])('is not found in %s', (output) => {
    expect(personalDataIn(output, '')).toEqual([]);
  });

  it('does not count addresses at the hosts of the manifest', () => {
    const found = (text: string) => personalDataIn(text, '', ['agents.acme-travel.io']).length;
    expect(['maria@acme-travel.io', 'jo@mail.agents.acme-travel.io'].map(found)).toEqual([0, 0]);
    expect(['maria@travel.io', 'maria@evil-acme-travel.io'].map(found)).toEqual([1, 1]);
  });

  it.each([
    ['a check digit', ['card 5500 0055 5555 5559'], 'payment_card', true],
    ['a name before it', ['Maria Oliveira: +351 912 345 678'], 'phone_number', true],
    ['a label before it', ['SSN of the customer: 219-09-9999'], 'us_social_security', true],
    [
      'different values',
      ['write to maria@posteo-mail.de', 'write to jonas@posteo-mail.de'],
      'email_address',
      true,
    ],
    ['an address beside it', ['maria@posteo-mail.de, +49 30 901820'], 'phone_number', true],
    ['nothing', ['call us: +49 30 901820', 'call us: +49 30 901820'], 'phone_number', false],
    ['nothing', ['write to maria@posteo-mail.de'], 'email_address', false],
  ] as const)('is made certain by %s: %j', (_what, outputs, kind, isCertain) => {
    expect(certainKinds(outputs.map((output) => personalDataIn(output, ''))).get(kind)).toBe(isCertain);
  });

  it('does not count what the caller sent', () => {
    expect(personalDataIn('Hello MARIA@posteo-mail.de', 'from maria@posteo-mail.de')).toEqual([]);
    expect(personalDataIn('dial +49-30-901820', 'my number: +49 30 901820')).toEqual([]);
  });

  it.each(['a.', '@a', '+1', '1-', 'A1 ', 'a@a.'])('takes a moment for a long text of %s', (piece) => {
    const startedAt = performance.now();
    personalDataIn(piece.repeat(130_000).slice(0, 262_144), '');
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

it('reads names, texts and numbers of an answer, in order, up to its limit', () => {
  const answer = Buffer.from('{"a":["x",{"b":1,"c":null}],"d":true}');
  expect(textOfAnswer(answer)).toEqual({ text: 'a\nx\nb\n1\nc\nd', isCut: false });
  expect(textOfAnswer(Buffer.from(JSON.stringify(['x'.repeat(300_000)]))).isCut).toBe(true);
});
