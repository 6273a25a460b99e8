'use strict';

/**
 * What `npm start`, `npm test` and `npm run build` print: one line per step, and a sign of life when a step takes
 * longer than a few seconds. No package and nothing compiled is needed.
 */
const { clearTimeout, setTimeout } = require('node:timers');

const FIRST_SIGN_MS = 3_000;
const NEXT_SIGN_MS = { live: 1_000, logged: 15_000 };
const LABEL_WIDTH = 12;

/**
 * A reader that leaves, as in `npm start | head -1`, is a terminal that hangs up. Without a listener, each write would
 * end as an uncaught error, which writes again.
 */
function endWithReader(out) {
  let hasLeft = false;
  out.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    if (!hasLeft) process.kill(process.pid, 'SIGHUP');
    hasLeft = true;
  });
}

function createTerminal(out = process.stdout, env = process.env) {
  const live = Boolean(out.isTTY) && !env.CI;
  const paint = (code) => (text) => (live && !env.NO_COLOR ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, dim, red, green, yellow] = [1, 2, 31, 32, 33].map(paint);
  endWithReader(out);
  const clear = () => live && out.write('\r\u001b[K');
  const say = (line = '') => {
    clear();
    out.write(`${line}\n`);
  };
  const lineOf = (mark, label, text) => `  ${mark} ${label.padEnd(LABEL_WIDTH)} ${text}`;

  async function step(label, work) {
    const startedAt = Date.now();
    const seconds = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
    let text = '';
    let timer = setTimeout(function sign() {
      clear();
      out.write(`${lineOf(yellow('…'), label, `${text} ${dim(seconds())}`)}${live ? '' : '\n'}`);
      timer = setTimeout(sign, live ? NEXT_SIGN_MS.live : NEXT_SIGN_MS.logged);
    }, FIRST_SIGN_MS);
    try {
      const result = await work((detail) => {
        text = detail;
      });
      if (result === undefined) clear();
      else say(lineOf(green('✔'), label, `${result}  ${dim(seconds())}`));
      return result;
    } catch (error) {
      say(lineOf(red('✘'), label, 'failed'));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    say,
    bold,
    dim,
    step,
    notice: (line) => say(`  ${yellow('!')} ${line}`),
    fail(message, hint) {
      process.stderr.write(`${red('✘')} ${message}\n${hint ? `  ${hint}\n` : ''}`);
      process.exit(1);
    },
  };
}

module.exports = { createTerminal };
