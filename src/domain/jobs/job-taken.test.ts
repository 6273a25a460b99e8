import { pauseBeforeAsking, readJobTaken } from './job-taken';

const URL_OF_AGENT = 'https://agent.example:8443/v1/invoke?key=1';
const read = (headers: Record<string, string>) => readJobTaken((name) => headers[name], URL_OF_AGENT);

it.each([
  ['/jobs/1', 'https://agent.example:8443/jobs/1'],
  ['jobs/1?a=b#part', 'https://agent.example:8443/v1/jobs/1?a=b'],
  ['https://AGENT.example:8443/x', 'https://agent.example:8443/x'],
  ['//agent.example:8443/x', 'https://agent.example:8443/x'],
])('reads the location %s', (location, href) => {
  expect(read({ location })).toEqual({ location: href, retryAfterMs: null });
});

it.each([
  'https://agent.example/jobs/1',
  'http://agent.example:8443/jobs/1',
  '//other.example/jobs/1',
  'https://agent.example:8443@other.example/',
  'https://user:secret@agent.example:8443/jobs/1',
  'https://agent.example.:8443/x',
  'javascript:alert(1)',
  'http://[',
  `/${'x'.repeat(3_000)}`,
])('refuses the location %s', (location) => {
  expect(read({ location })).toBeUndefined();
});

it('knows an agent that calls back by a missing location', () => {
  expect(read({ 'retry-after': '30' })).toEqual({ location: null, retryAfterMs: 30_000 });
});

it.each([
  [' 7 ', 7_000],
  ['0', 0],
  ['Fri, 31 Dec 2027 23:59:59 GMT', null],
  ['-1', null],
  ['1e9', null],
])('reads Retry-After: %s', (value, ms) => {
  expect(read({ 'retry-after': value })?.retryAfterMs).toBe(ms);
});

it('asks again between each second and each minute', () => {
  expect([0, 1, 2, 50].map((asked) => pauseBeforeAsking(asked, null))).toEqual([1_000, 1_500, 2_250, 60_000]);
  expect([0, 5_000, 3_600_000].map((ms) => pauseBeforeAsking(9, ms))).toEqual([1_000, 5_000, 60_000]);
});
