import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logExcerpt } from './log-excerpt';

const folder = mkdtempSync(join(tmpdir(), 'market-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

function excerpt(lines: string[], from?: number): string[] {
  const file = join(folder, 'part.log');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return logExcerpt(file, from);
}

const GO_TRACE = [
  '\tgo.temporal.io/server/temporal.(*ServerImpl).Start(0xc0009)',
  '\t\t/go/pkg/mod/server.go:114',
  'main.main()',
  '\t/main.go:31 +0x1d',
];

describe('the excerpt of a log', () => {
  it.each([
    ['Go', 'panic: listen tcp 127.0.0.1:7233: bind: address already in use'],
    [
      'Temporal',
      '{"level":"fatal","ts":"2026-11-22T10:00:00Z","msg":"unable to start","error":"bind: address in use"}',
    ],
    ['Postgres', '2026-11-22 10:00:00 UTC [77] FATAL:  could not create any TCP/IP sockets'],
    ['the API', '{"level":60,"time":1,"msg":"the process ends: MASTER_KEYS is not set"}'],
    ['Node', "Error: Cannot find module './missing'"],
  ])('begins with the first failure of %s, not with the end of its stack trace', (_part, failure) => {
    expect(excerpt(['starting', failure, 'goroutine 1 [running]:', ...GO_TRACE])[0]).toBe(failure);
  });

  it('names the first setting that is wrong, without colours', () => {
    const settings = [
      '\x1b[37m================================\x1b[0m',
      ' \x1b[33mInvalid\x1b[0m environment variables:',
      '    \x1b[34mLOGIN_FAILURES\x1b[0m: Invalid number input: "abc"',
      '\x1b[37m================================\x1b[0m',
      '\x1b[33m\n Exiting with error code 1\x1b[0m',
    ];
    expect(excerpt(settings)).toEqual([
      ' Invalid environment variables:',
      '    LOGIN_FAILURES: Invalid number input: "abc"',
    ]);
  });

  it('is the end of a log without a failure', () => {
    expect(excerpt(['one', 'two', 'three', '', 'four', 'five'])).toEqual(['two', 'three', 'four', 'five']);
  });

  it('leaves out what an earlier start wrote', () => {
    const earlier = 'panic: an old failure';
    expect(excerpt([earlier, 'panic: a new failure'], earlier.length + 1)).toEqual(['panic: a new failure']);
  });

  it('does not take words inside a sentence for a failure', () => {
    expect(excerpt(['no errors so far', 'ready'])).toEqual(['no errors so far', 'ready']);
  });

  it('is empty when there is no log', () => {
    expect(logExcerpt(join(folder, 'missing.log'))).toEqual([]);
  });
});
