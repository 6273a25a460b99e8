import { namespaceOf, shortened } from './market-address';

it.each([
  ['market.example.com', 'com.example.market'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]', '--1'],
  ['localhost', 'localhost'],
])('names the servers of the host %s below %s', (hostname, namespace) => {
  expect(namespaceOf(hostname)).toBe(namespace);
});

it.each([
  ['  Converts\n units. ', 'Converts units.'],
  ['😀'.repeat(101), `${'😀'.repeat(99)}…`],
  ['a'.repeat(100), 'a'.repeat(100)],
])('keeps a text of one line within the limit: %#', (text, short) => {
  expect(shortened(text, 100)).toBe(short);
});
