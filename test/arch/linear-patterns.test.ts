/**
 * Texts of agents, bundles and callers are attacker-controlled, so each pattern that reads them takes linear time. A
 * pattern of V8 does if its repetitions are bounded: then an attempt at one place takes constant time. Two kinds of
 * unbounded repetition are linear, too: one of a single character at the end of the pattern, after which nothing can
 * fail, and a single one in an anchored pattern, which is tried at one place only. All others belong to RE2
 * (`src/kit/masking/linear-search.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');
/**
 * Where patterns read foreign text. `src/verification/packages` has tests of its own, because its readers read whole
 * formats.
 */
const FOLDERS = [
  'src/kit/masking',
  'src/verification/bundles',
  'src/verification/probes',
  'src/verification/secrets',
  'src/services/verification',
];

interface Found {
  place: string;
  source: string;
  flags: string;
}

function patternsIn(path: string, code: string): Found[] {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, ts.Expression>();
  const found: Found[] = [];
  const placeOf = (node: ts.Node) =>
    `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer)
      constants.set(node.name.text, node.initializer);
    if (ts.isRegularExpressionLiteral(node)) {
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      found.push({ place: placeOf(node), source, flags });
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      found.push({
        place: placeOf(node),
        source: textOf(source, constants),
        flags: textOf(flags, constants),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/**
 * The text of an expression of literals and constants of the same file. Throws for any other, which nothing can check.
 */
function textOf(node: ts.Expression | undefined, constants: ReadonlyMap<string, ts.Expression>): string {
  if (node === undefined) return '';
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isIdentifier(node)) return textOf(constants.get(node.text), constants);
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (text, { expression, literal }) => `${text}${textOf(expression, constants)}${literal.text}`,
      node.head.text,
    );
  throw new Error(`a pattern is made of ${node.getText()}: write it as a literal, or use RE2`);
}

const ONE_CHARACTER: ReadonlySet<string> = new Set(['Character', 'CharacterClass', 'CharacterSet']);

/** The repetitions that make a pattern take more than linear time for some text. */
function superLinear({ source, flags }: Pick<Found, 'source' | 'flags'>): string[] {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  const unicode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = parser.parsePattern(source, 0, source.length, unicode);
  const open: AST.Quantifier[] = [];
  const inAll = (alternatives: readonly AST.Alternative[], isLast: boolean): void => {
    for (const { elements } of alternatives)
      elements.forEach((one, at) => look(one, isLast && at === elements.length - 1));
  };
  const look = (node: AST.Element | AST.QuantifiableElement, isLast: boolean): void => {
    if ('alternatives' in node) inAll(node.alternatives, isLast && node.type !== 'Assertion');
    if (node.type !== 'Quantifier') return;
    if (node.max === Infinity && !(isLast && ONE_CHARACTER.has(node.element.type))) open.push(node);
    look(node.element, isLast && node.max === 1);
  };
  inAll(pattern.alternatives, true);
  const isAnchored = ({ elements: [first] }: AST.Alternative) =>
    first?.type === 'Assertion' && first.kind === 'start' && !flags.includes('m');
  return pattern.alternatives.flatMap((alternative) => {
    const own = open.filter(({ start, end }) => start >= alternative.start && end <= alternative.end);
    const isSingle = own.length === 1 && own.every(({ element }) => ONE_CHARACTER.has(element.type));
    return isAnchored(alternative) && isSingle ? [] : own.map(({ raw }) => raw);
  });
}

it.each<[source: string, flags: string, found: string[]]>([
  ['a\\s*b', '', ['\\s*']],
  ['^a\\s*b', '', []],
  ['^a\\s*b', 'm', ['\\s*']],
  ['^\\s*a\\s*$', '', ['\\s*', '\\s*']],
  ['[^a-z]+', 'g', []],
  ['a+$', '', ['a+']],
  ['(?:ab)+', '', ['(?:ab)+']],
  ['(?<=a*)b', '', ['a*']],
  ['a{0,60}b{2,}c', '', ['b{2,}']],
])('finds the repetitions of /%s/%s that take more than linear time', (source, flags, found) => {
  expect(superLinear({ source, flags })).toEqual(found);
});

it('has only patterns that take linear time over untrusted text', () => {
  const slow = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  )
    .flatMap((path) => patternsIn(path, readFileSync(join(ROOT, path), 'utf8')))
    .flatMap(({ place, ...pattern }) => superLinear(pattern).map((raw) => `${place} ${raw}`));
  expect(slow).toEqual([]);
});
