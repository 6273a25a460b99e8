import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Writes for ever, and says when its terminal hangs up. */
const WRITER = `
  const { say } = require(process.argv[1]).createTerminal();
  process.on('SIGHUP', () => { process.stderr.write('hung up\\n'); process.exit(0); });
  setInterval(() => say('a line'), 5);
`;

it('hangs up when the reader of the output leaves, as in npm start | head -1', async () => {
  const writer = spawn(process.execPath, ['-e', WRITER, join(__dirname, 'terminal.cjs')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 10_000,
  });
  const said = text(writer.stderr);
  const ended = once(writer, 'exit');
  await once(writer.stdout, 'data');
  writer.stdout.destroy();
  expect(await ended).toEqual([0, null]);
  expect(await said).toBe('hung up\n');
});
