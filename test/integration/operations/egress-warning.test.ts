import pino from 'pino';
import { loadConfig } from '../../../src/config';
import { createContainer } from '../../../src/container';

/** The log of a process that starts with this setting. */
async function linesWith(EGRESS_ALLOW: string): Promise<string[]> {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/nothing';
  const container = createContainer(loadConfig({ NODE_ENV: 'test', DATABASE_URL, EGRESS_ALLOW }), logger);
  await container.close();
  return lines.filter((line) => line.includes('EGRESS_ALLOW'));
}

it('warns at boot, at each boot, that forbidden addresses may be called', async () => {
  expect(await linesWith('')).toEqual([]);
  const [line, ...more] = await linesWith('127.77.0.0/16:9000');
  expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 40, allowed: '127.77.0.0/16:9000' });
  expect(more).toEqual([]);
});

it('does not start with a list that cannot be read, and names it', () => {
  const env = { NODE_ENV: 'test', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
  for (const name of [
    'EGRESS_ALLOW',
    'EGRESS_DENY',
    'EGRESS_DENY_PORTS',
    'EGRESS_OWN',
    'EGRESS_DNS_SERVERS',
  ]) {
    const start = () => createContainer(loadConfig({ ...env, [name]: '?' }), pino({ level: 'silent' }));
    expect(start).toThrow(new RegExp(`^${name}: `));
  }
});
