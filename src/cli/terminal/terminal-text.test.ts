import { listText } from './terminal-text';

const head = ['agent', 'name', 'price'];
const rows = [
  ['agt_word_counter_v1', 'Word counter', '2'],
  ['agt_csv_profiler_v1', 'CSV profiler', '4'],
];

it('is a table where it fits, and where the width is not known', () => {
  const table = [
    'agent                name          price',
    'agt_word_counter_v1  Word counter  2',
    'agt_csv_profiler_v1  CSV profiler  4',
  ].join('\n');
  expect(listText(head, rows, 60)).toBe(table);
  expect(listText(head, rows, undefined)).toBe(table);
});

it('is a block for each row in a narrower terminal, so that no word breaks', () => {
  const text = listText(head, rows, 30);
  expect(text).toBe(
    [
      'agent  agt_word_counter_v1',
      'name   Word counter',
      'price  2',
      '',
      'agent  agt_csv_profiler_v1',
      'name   CSV profiler',
      'price  4',
    ].join('\n'),
  );
});
