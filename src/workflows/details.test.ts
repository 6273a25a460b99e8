import { detailsText, duration, isoMinute } from './details';

const NOW = Date.parse('2026-11-23T09:12:31.400Z');
const DAY = 86_400_000;

describe('the details of a workflow', () => {
  it('state the status, the deadline in ISO time and in words, and the next step', () => {
    const text = detailsText(
      { state: 'Waits for an answer', untilMs: NOW + 7 * DAY, then: 'it is final' },
      NOW,
    );
    expect(text).toBe(
      [
        '**Waits for an answer.**',
        '',
        '- **Until:** 2026-11-30T09:12Z (7 days after 2026-11-23T09:12Z)',
        '- **Then:** it is final',
      ].join('\n'),
    );
  });

  it('list decisions, credits, commands and operations', () => {
    const text = detailsText(
      { state: 'Over', decided: ['a'], credits: ['b'], operator: ['c'], api: ['GET /d'] },
      NOW,
    );
    expect(text.split('\n').slice(2)).toEqual([
      '- **Decided:** a',
      '- **Credits:** b',
      '- **Operator:** c',
      '- **API:** `GET /d`',
    ]);
  });

  it.each([
    [14 * DAY, '14 days'],
    [DAY, '1 day'],
    [DAY - 1, '24 hours'],
    [90 * 60_000, '2 hours'],
    [60_000, '1 minute'],
    [999, '1 second'],
    [0, '0 seconds'],
    [-5_000, '0 seconds'],
  ])('say %s ms as %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  it('cut times to the minute', () => {
    expect(isoMinute(NOW)).toBe('2026-11-23T09:12Z');
  });
});
