import { readEcbRates } from './ecb-rates';

const document = (days: string, head = '<?xml version="1.0" encoding="UTF-8"?>') => `${head}
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>European Central Bank</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${days}
\t</Cube>
</gesmes:Envelope>`;
const day = (cubes: string, date = '2026-11-20') => `\t\t<Cube time='${date}'>\n${cubes}\n\t\t</Cube>`;
const USD = "<Cube currency='USD' rate='1.0582'/>";
const INR = "<Cube currency='INR' rate='93.0217'/>";

it('reads the day and every currency of it', () => {
  const { date, rates } = readEcbRates(document(day(`${USD}${INR}<Cube currency="JPY" rate="163.11" />`)));
  expect(date).toBe('2026-11-20');
  expect([...rates]).toEqual([
    ['USD', '1.0582'],
    ['INR', '93.0217'],
    ['JPY', '163.11'],
  ]);
});

it('reads a document without an XML declaration', () => {
  expect(readEcbRates(document(day(USD), '')).rates.get('USD')).toBe('1.0582');
});

const WRONG: [string, string][] = [
  ['nothing', ''],
  ['a page', '<html><body>Not found</body></html>'],
  ['JSON', '{"rates": {}}'],
  ['another namespace', document(day(USD)).replace('vocabulary/2002-08-01/eurofxref', 'vocabulary/other')],
  ['no day', document('')],
  ['two days', document(day(USD) + day(USD, '2026-11-19'))],
  ['a currency twice', document(day(USD + USD))],
  ['an attribute twice', document(day("<Cube currency='USD' rate='1' rate='2'/>"))],
  ['a document type', document(day(USD)).replace('<gesmes:Env', '<!DOCTYPE x [<!ENTITY a "1">]><gesmes:Env')],
  ['an entity', document(day("<Cube currency='USD' rate='&a;'/>"))],
  ['an entity in text', document(day(USD)).replace('Reference rates', 'a &lt; b')],
  ['a comment', document(day(`<!-- ${USD} -->${INR}`))],
  ['CDATA', document(day(`<![CDATA[${USD}]]>`))],
  ['an instruction', document(day(`<?php ?>${USD}`))],
  ['a tag that is not closed', document(day('<Cube currency="USD">'))],
  ['tags that cross', document(day(USD)).replace('</gesmes:name>', '</gesmes:Sender>')],
  ['a missing end tag', document(day(USD)).replace('</gesmes:Envelope>', '')],
  ['half of it', document(day(USD)).slice(0, 400)],
  ['an element after the end', `${document(day(USD))}<x/>`],
  ['text after the end', `${document(day(USD))}x`],
  ['endless nesting', `${'<a>'.repeat(20)}${'</a>'.repeat(20)}`],
];

it.each(WRONG)('refuses %s', (_what, text) => {
  expect(() => readEcbRates(text)).toThrow(/^the document|^a currency/);
});

it('takes linear time for any document', () => {
  const hostile = [
    '<'.repeat(60_000),
    `<a${' '.repeat(60_000)}`,
    `<a${' b=""'.repeat(12_000)}`,
    `<a b=${'"'.repeat(60_000)}`,
  ];
  const startedAt = performance.now();
  for (const text of hostile) expect(() => readEcbRates(text)).toThrow();
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
