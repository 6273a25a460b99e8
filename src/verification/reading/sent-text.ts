/** Addresses that a program fetches when it displays an answer, and that carry the words of the input away. */
import { parsedUrl } from '../../kit/parsed-url';
import { isDeclared } from '../bundles/completeness';
import { plainWordsOf } from './prose';

const ADDRESS = '((?:https?:)?\\/\\/[^\\s)>"\'\\]]{4,4000})';
/** Places of Markdown, HTML, SVG and CSS that are loaded without a click. */
const FETCHED: readonly RegExp[] = [
  new RegExp(`!\\[[^\\]]{0,200}\\]\\(\\s{0,4}<?${ADDRESS}`, 'gi'),
  new RegExp(
    `<(?:img|image|use|feImage|source|video|audio|track|link|script|iframe|embed|object|input|body|table|td)\\b[^<>]{0,400}?\\b(?:src|srcset|href|poster|background|data|xlink:href)\\s{0,4}=\\s{0,4}["']?${ADDRESS}`,
    'gi',
  ),
  new RegExp(`\\burl\\(\\s{0,4}["']?${ADDRESS}`, 'gi'),
  new RegExp(`@import\\s{1,8}["']?${ADDRESS}`, 'gi'),
];
const REFERENCE = /!\[[^\]]{0,200}\]\[([^\]]{1,60})\]/g;
const DEFINITION = new RegExp(`^\\s{0,3}\\[([^\\]\\n]{1,60})\\]:\\s{0,8}<?${ADDRESS}`, 'gim');

/** So many words in the order of the input are its text. */
const LEAST_WORDS = 3;
const LEAST_WORDS_OF_PATH = 6;
const LEAST_LETTERS = 10;

/** True for an address that a reader's program fetches, and that carries words of `input` to a host not `declared`. */
export function sendsTextAway(output: string, input: string, declared: readonly string[]): boolean {
  const words = plainWordsOf(input).split(' ');
  return fetchedIn(output).some((address) => {
    const url = parsedUrl(address.startsWith('//') ? `https:${address}` : address);
    return url !== undefined && !isDeclared(url.hostname, declared) && carries(url, words);
  });
}

function fetchedIn(output: string): string[] {
  const wanted = new Set([...output.matchAll(REFERENCE)].map(([, name = '']) => name.toLowerCase()));
  const named = [...output.matchAll(DEFINITION)].flatMap(([, name = '', address]) =>
    address !== undefined && wanted.has(name.toLowerCase()) ? [address] : [],
  );
  return [
    ...FETCHED.flatMap((pattern) => [...output.matchAll(pattern)].flatMap(([, address]) => address ?? [])),
    ...named,
  ];
}

/** Words of a path may be the name of a picture, so a path carries the input by more words than a query or a code. */
function carries({ hostname, pathname, search }: URL, words: readonly string[]): boolean {
  const query = search.slice(1);
  const short = [decodedUri(query.replaceAll('+', ' ')), ...[query, pathname, hostname].flatMap(decodedRuns)];
  const long = [pathname, hostname].map(decodedUri);
  return (
    short.some((part) => holds(part, words, LEAST_WORDS)) ||
    long.some((part) => holds(part, words, LEAST_WORDS_OF_PATH))
  );
}

function holds(part: string, words: readonly string[], least: number): boolean {
  const sent = ` ${plainWordsOf(part)} `;
  return words.some((_, at) => {
    const some = words.slice(at, at + least).join(' ');
    return words.length >= at + least && some.length >= LEAST_LETTERS && sent.includes(` ${some} `);
  });
}

/** Long runs of a text, decoded from base64 and hexadecimal. */
function decodedRuns(text: string): string[] {
  const runs = text.match(/[A-Za-z0-9+_-]{16,4000}/g) ?? [];
  const digits = runs.filter((run) => /^[0-9a-f]+$/i.test(run));
  return [
    ...runs.map((run) => Buffer.from(run, 'base64url').toString()),
    ...digits.map((run) => Buffer.from(run, 'hex').toString()),
  ];
}

function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
