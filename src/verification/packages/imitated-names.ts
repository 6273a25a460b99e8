/** Finds names that imitate those of popular packages (data/popular, with the date of the list). */
import type { Ecosystem, ImitatedFact } from '../../domain/evidence/evidence-facts';
import { latinOf } from '../tools/lookalikes';
import { vendoredText } from '../vendored-data';

/** So many of the most popular names are worth imitating. The list of npm counts packages that others need, too. */
const TARGETS: Partial<Record<Ecosystem, number>> = { npm: 6_000, PyPI: 3_000 };
/** Names that people install themselves, and that were imitated; lists by downloads rank them low. */
const ALSO: Partial<Record<Ecosystem, readonly string[]>> = {
  npm: 'express lodash react-dom axios chalk body-parser cross-env npm-run-all js-sha3 simplemde uglify-js mysql-import electron nodemailer nodemon ethers sqlite3 ffmpeg opencv mariadb discord.js coffee-script coffeescript web3 mysql mongodb mongoose babel-cli babel-core gulp grunt grunt-cli bower ionic cordova react-native angular ember-cli meteor sequelize knex passport socket.io-client hardhat truffle solana-web3 noblox.js telegraf puppeteer-core playwright selenium-webdriver twilio stripe firebase openai langchain pm2 forever nightmare phantomjs jsonwebtoken bcrypt colors faker node-fetch node-sass node-ipc'.split(
    ' ',
  ),
  PyPI: 'python-nmap aioconsole aiobotocore botocore detectron2 fairseq pytorch ethereum opensea-api huggingface-hub importlib-resources pillow requests urllib3 colorama cryptography matplotlib sphinx-rtd-theme setuptools scipy pandas numpy flask django selenium discord.py discord pygame pyinstaller customtkinter ccxt python-binance web3 telethon pyrogram opencv-python tensorflow keras torch scikit-learn beautifulsoup4 pycryptodome pycrypto mysqlclient pyautogui ultralytics streamlit gradio langchain transformers easygui'.split(
    ' ',
  ),
};
/** Names near to popular ones that honest public projects use. */
const ESTABLISHED =
  'tslint tslint-config-prettier jsdoc eclint watch pegjs brace msgpack5 util-promisify fresh-import errto'.split(
    ' ',
  );
/** So many names are worth imitating by what a language adds to names: `nodemailer-js`, `python-django`. */
const AFFIXED: Partial<Record<Ecosystem, number>> = { npm: 6_000, PyPI: 1_000 };
const AFFIXES: Partial<Record<Ecosystem, RegExp>> = {
  npm: /^node-?|(?:\.js|-js|-node|js|cli)$/,
  PyPI: /^python3?-|^py(?=.{5})|-(?:python|py|server)$|[2-9]$/,
};
/** So many of the most popular names are compared letter by letter. */
const CHOSEN = 400;
/** Short names are close to each other by chance. */
const SHORTEST = 5;
const LONG_ENOUGH = 6;

interface Names {
  known: ReadonlySet<string>;
  /** Targets by each text that is one deletion from them, and by themselves. */
  near: ReadonlyMap<string, string[]>;
  /** Targets by their letters without separators, and by their sorted words. */
  plain: ReadonlyMap<string, string>;
  words: ReadonlyMap<string, string>;
  /** The most popular targets. */
  top: ReadonlySet<string>;
  /** Names that people install themselves. */
  chosen: readonly string[];
  /** Popular scopes. */
  scopes: readonly string[];
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
  if (name !== bare) return imitatedScope(names, name);
  const latin = latinOf(bare);
  if (latin !== bare && latin !== bare.toLowerCase() && names.known.has(latin))
    return { popular: latin, difference: 'letters of another script that look the same' };
  if (bare.length < SHORTEST) return undefined;
  const typed = /^types-(.{2,})$/.exec(bare)?.[1];
  if (ecosystem === 'npm' && typed !== undefined && names.known.has(`@types/${typed}`))
    return { popular: `@types/${typed}`, difference: 'its scope, which belongs to another account' };
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
  if (isAffixed) return { popular: stripped, difference: 'what a language adds to names' };
  const far = names.chosen.find((target) => isFurtherEdit(bare, stripped, target));
  return far === undefined ? undefined : { popular: far, difference: 'one character and what surrounds it' };
}

/** True for the name of a popular package, or for one of its scope. */
export function isPopular(ecosystem: Ecosystem, name: string): boolean {
  const names = (loaded ??= load()).get(ecosystem);
  if (!names) return false;
  return names.known.has(name) || names.scopes.includes(name.split('/', 1)[0] ?? '');
}

/** A scope that looks like a popular one, in front of any name. */
function imitatedScope(names: Names, name: string): Pick<ImitatedFact, 'popular' | 'difference'> | undefined {
  const [scope = '', rest = ''] = name.split('/', 2);
  if (names.scopes.includes(scope) || scope.length < SHORTEST) return undefined;
  const plain = plainOf(latinOf(scope));
  const target = names.scopes.find(
    (one) =>
      one.length >= SHORTEST &&
      (plainOf(one) === plain ||
        (isOneEdit(scope, one) && scope.length > SHORTEST) ||
        isFollowed(scope, one)),
  );
  if (target === undefined) return undefined;
  return { popular: `${target}/${rest}`, difference: 'its scope, which belongs to another account' };
}

/** `@typescript_eslinter` for `@typescript-eslint`: the same letters and an ending of one or two. */
function isFollowed(scope: string, target: string): boolean {
  const [longer, shorter] = [plainOf(scope), plainOf(target)];
  return shorter.length >= 8 && longer.startsWith(shorter) && longer.length - shorter.length <= 2;
}

/** One edit of the letters without separators, or of what is left without an affix, beside names people choose. */
function isFurtherEdit(bare: string, stripped: string, target: string): boolean {
  const [plain, wanted] = [plainOf(bare), plainOf(target)];
  if (wanted.length < LONG_ENOUGH) return false;
  if (plain !== wanted && isOneEdit(plain, wanted)) return true;
  const core = wanted.replace(/js$/, '');
  const own = plainOf(stripped).replace(/js$/, '');
  return own !== plain && own.length >= LONG_ENOUGH && core.length >= LONG_ENOUGH && isOneEdit(own, core);
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
      known: new Set([...all, ...targets, ...ESTABLISHED]),
      top: new Set([...(ALSO[ecosystem] ?? []), ...targets.slice(0, AFFIXED[ecosystem])]),
      chosen: [...(ALSO[ecosystem] ?? []), ...targets.slice(0, CHOSEN)],
      scopes: [
        ...new Set(all.flatMap((name) => (name.startsWith('@') ? [name.split('/', 1)[0] ?? ''] : []))),
      ],
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
