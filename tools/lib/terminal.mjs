/** Progress on the terminal: one line per step, and a sign of life when a step takes longer than a few seconds. */
const live = Boolean(process.stdout.isTTY) && !process.env.CI;
const colour = live && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint('1');
export const dim = paint('2');
export const green = paint('32');
export const yellow = paint('33');
export const red = paint('31');

export function say(line = '') {
  process.stdout.write(`${line}\n`);
}

/** Says what failed, what to look at, and ends the process. */
export function fail(message, hint) {
  process.stderr.write(`${red('✘')} ${message}\n${hint ? `  ${hint}\n` : ''}`);
  process.exit(1);
}

const FIRST_SIGN_MS = 3_000;
const NEXT_SIGN_MS = live ? 1_000 : 15_000;

/**
 * Runs `work(detail)` as a step called `label`; what it returns is shown as its result. `detail(text)` says what goes on.
 */
export async function step(label, work) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  let text = '';
  const sign = () => {
    const line = `  ${yellow('…')} ${label.padEnd(12)} ${text} ${dim(seconds())}`;
    process.stdout.write(live ? `\r\u001b[K${line}` : `${line}\n`);
  };
  let timer = setTimeout(function again() {
    sign();
    timer = setTimeout(again, NEXT_SIGN_MS);
  }, FIRST_SIGN_MS);
  try {
    const result = await work((detail) => {
      text = detail;
    });
    if (live) process.stdout.write('\r\u001b[K');
    if (result !== undefined) {
      const took = Date.now() - startedAt > FIRST_SIGN_MS ? dim(`  (${seconds()})`) : '';
      say(`  ${green('✔')} ${label.padEnd(12)} ${result}${took}`);
    }
  } catch (error) {
    if (live) process.stdout.write('\r\u001b[K');
    say(`  ${red('✘')} ${label}`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
