/** What `npm start` shows: one line per step, a sign of life when one takes longer than a few seconds. */
export interface Terminal {
  say: (line?: string) => void;
  /** Something that the reader should notice, such as a taken port or a part that died. */
  notice: (line: string) => void;
  /** Runs `work`; shows `label` with what it returns. `detail` says what goes on meanwhile. */
  step: <T extends string>(label: string, work: (detail: (text: string) => void) => Promise<T>) => Promise<T>;
  bold: (text: string) => string;
  dim: (text: string) => string;
}

const FIRST_SIGN_MS = 3_000;
const LABEL_WIDTH = 12;

export function createTerminal(out: NodeJS.WriteStream = process.stdout, env = process.env): Terminal {
  const live = Boolean(out.isTTY) && !env['CI'];
  const paint = (code: number) => (text: string) =>
    live && !env['NO_COLOR'] ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [bold, dim, red, green, yellow] = [paint(1), paint(2), paint(31), paint(32), paint(33)] as const;
  const clear = () => live && out.write('\r\u001b[K');
  const say = (line = '') => {
    clear();
    out.write(`${line}\n`);
  };
  const line = (mark: string, label: string, text: string) =>
    `  ${mark} ${label.padEnd(LABEL_WIDTH)} ${text}`;
  return {
    say,
    bold,
    dim,
    notice: (text) => say(`  ${yellow('!')} ${text}`),
    async step(label, work) {
      const startedAt = Date.now();
      const seconds = () => `${((Date.now() - startedAt) / 1_000).toFixed(1)} s`;
      let text = '';
      let timer = setTimeout(function sign() {
        clear();
        out.write(`${line(yellow('…'), label, `${text} ${dim(seconds())}`)}${live ? '' : '\n'}`);
        timer = setTimeout(sign, live ? 1_000 : 15_000);
      }, FIRST_SIGN_MS);
      try {
        const result = await work((detail) => {
          text = detail;
        });
        say(line(green('✔'), label, `${result}  ${dim(seconds())}`));
        return result;
      } catch (error) {
        say(line(red('✘'), label, 'failed'));
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
