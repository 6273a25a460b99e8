/** Finds names that imitate those of popular packages (data/popular, with the date of the list). */
import type { Ecosystem, ImitatedFact } from '../../domain/evidence/evidence-facts';
import { vendoredText } from '../vendored-data';

/** So many of the most popular names are worth imitating. The list of npm counts packages that others need, too. */
const TARGETS: Partial<Record<Ecosystem, number>> = { npm: 6_000, PyPI: 3_000 };
/** Names that people install themselves, and that were imitated; lists by downloads rank them low. */
const ALSO: Partial<Record<Ecosystem, readonly string[]>> = {
  npm: 'electron nodemailer nodemon ethers sqlite3 ffmpeg opencv mariadb discord.js coffee-script coffeescript web3 mysql mongodb mongoose babel-cli babel-core gulp grunt grunt-cli bower ionic cordova react-native angular ember-cli meteor sequelize knex passport socket.io-client hardhat truffle solana-web3 noblox.js telegraf puppeteer-core playwright selenium-webdriver twilio stripe firebase openai langchain pm2 forever nightmare phantomjs jsonwebtoken bcrypt colors faker node-fetch node-sass node-ipc'.split(
    ' ',
  ),
  PyPI: 'selenium discord.py discord pygame pyinstaller customtkinter ccxt python-binance web3 telethon pyrogram opencv-python tensorflow keras torch scikit-learn beautifulsoup4 pycryptodome pycrypto mysqlclient pyautogui ultralytics streamlit gradio langchain transformers easygui'.split(
    ' ',
  ),
};
/** So many names are worth imitating by what a language adds to names: `nodemailer-js`, `python-django`. */
const AFFIXED: Partial<Record<Ecosystem, number>> = { npm: 6_000, PyPI: 1_000 };
const AFFIXES: Partial<Record<Ecosystem, RegExp>> = {
  npm: /^node-?|(?:\.js|-js|-node|js|cli)$/,
  PyPI: /^python3?-|^py(?=.{5})|-(?:python|py|server)$|[2-9]$/,
};
/** Short names are close to each other by chance. */
const SHORTEST = 5;

interface Names {
  known: ReadonlySet<string>;
  /** Targets by each text that is one deletion from them, and by themselves. */
  near: ReadonlyMap<string, string[]>;
  /** Targets by their letters without separators, and by their sorted words. */
  plain: ReadonlyMap<string, string>;
  words: ReadonlyMap<string, string>;
  /** The most popular targets. */
  top: ReadonlySet<string>;
}

let loaded: Map<string, Names> | undefined;

/** The popular package that the name imitates, and how; undefined for a popular or an unrelated name. */
export function imitated(
  ecosystem: Ecosystem,
  name: string,
): Pick<ImitatedFact, 'popular' | 'difference'> | undefined {
  const names = (loaded ??= load()).get(ecosystem);
  if (!names || names.known.has(name)) return undefined;
  const bare = name.replace(/^@[^/]+\//, '');
  if (name !== bare || bare.length < SHORTEST) return undefined;
  const plain = names.plain.get(plainOf(bare));
  if (plain !== undefined) return { popular: plain, difference: 'its separators or look-alike characters' };
  const words = names.words.get(wordsOf(bare));
  if (words !== undefined) return { popular: words, difference: 'the order of its words' };
  const close = [bare, ...deletions(bare)]
    .flatMap((one) => names.near.get(one) ?? [])
    .find((target) => isOneEdit(bare, target));
  if (close !== undefined) return { popular: close, difference: 'one character' };
  const stripped = bare.replace(AFFIXES[ecosystem] ?? '', '');
  const isAffixed = stripped !== bare && stripped.length >= SHORTEST && names.top.has(stripped);
  return isAffixed ? { popular: stripped, difference: 'what a language adds to names' } : undefined;
}

function load(): Map<string, Names> {
  const result = new Map<string, Names>();
  for (const part of vendoredText('popular/popular-packages.txt').split('\n\n')) {
    const [head = '', ...all] = part.trim().split('\n');
    const ecosystem = (head.split(' ')[0] ?? '') as Ecosystem;
    const targets = [...all.slice(0, TARGETS[ecosystem] ?? 0), ...(ALSO[ecosystem] ?? [])].filter(
      (name) => !name.startsWith('@') && name.length >= SHORTEST,
    );
    const near = new Map<string, string[]>();
    for (const target of targets)
      for (const one of [target, ...deletions(target)]) near.set(one, [...(near.get(one) ?? []), target]);
    result.set(ecosystem, {
      known: new Set([...all, ...targets]),
      top: new Set([...(ALSO[ecosystem] ?? []), ...targets.slice(0, AFFIXED[ecosystem])]),
      near,
      plain: new Map(targets.map((name) => [plainOf(name), name])),
      words: new Map(targets.flatMap((name) => (/[-_.]/.test(name) ? [[wordsOf(name), name] as const] : []))),
    });
  }
  return result;
}

function plainOf(name: string): string {
  return name
    .replaceAll(/[-_.]/g, '')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

function wordsOf(name: string): string {
  return name.split(/[-_.]/).sort().join('-');
}

function deletions(name: string): string[] {
  return Array.from({ length: name.length }, (_, at) => name.slice(0, at) + name.slice(at + 1));
}

/**
 * One insertion, deletion, replacement, or exchange of neighbours. Versions at the end, such as `vue3`, are no
 * imitation.
 */
function isOneEdit(a: string, b: string): boolean {
  if (a === b) return false;
  if (a.replace(/\d+$/, '') === b.replace(/\d+$/, '')) return false;
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (a[at] !== undefined && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
