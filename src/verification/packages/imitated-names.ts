/** Finds names that imitate those of popular packages (data/popular, with the date of the list). */
import type { Ecosystem, ImitatedFact } from '../../domain/evidence/evidence-facts';
import { vendoredText } from '../vendored-data';

/** So many of the most popular names are worth imitating. */
const TARGETS = 3_000;
/** Short names are close to each other by chance. */
const SHORTEST = 5;

interface Names {
  known: ReadonlySet<string>;
  /** Targets by each text that is one deletion from them, and by themselves. */
  near: ReadonlyMap<string, string[]>;
  /** Targets by their letters without separators, and by their sorted words. */
  plain: ReadonlyMap<string, string>;
  words: ReadonlyMap<string, string>;
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
  return close === undefined ? undefined : { popular: close, difference: 'one character' };
}

function load(): Map<string, Names> {
  const result = new Map<string, Names>();
  for (const part of vendoredText('popular/popular-packages.txt').split('\n\n')) {
    const [head = '', ...all] = part.trim().split('\n');
    const targets = all.slice(0, TARGETS).filter((name) => !name.startsWith('@') && name.length >= SHORTEST);
    const near = new Map<string, string[]>();
    for (const target of targets)
      for (const one of [target, ...deletions(target)]) near.set(one, [...(near.get(one) ?? []), target]);
    result.set(head.split(' ')[0] ?? '', {
      known: new Set(all),
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

/** One insertion, deletion, replacement, or exchange of neighbours. Versions at the end, such as `vue3`, are no imitation. */
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
