/** One file decides in which order a call and its workflow begin. */
import ts from 'typescript';
import { filesOfDocuments, read } from './repository-files';

/** True if the code names the setting; comments may. */
function namesOrder(text: string): boolean {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  const isNamed = (node: ts.Node): boolean =>
    ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && node.text === 'ENROLMENT') ||
    (ts.forEachChild(node, (child) => isNamed(child) || undefined) ?? false);
  return isNamed(source);
}

it.each([
  ['config.ENROLMENT', true],
  ["config['ENROLMENT']", true],
  ["type Wanted = Pick<Config, 'ENROLMENT'>;", true],
  ['const { ENROLMENT: order } = config;', true],
  ['/** With ENROLMENT=confirmed. */ const LAST_ENROLMENT_MS = 1;', false],
])('sees in %p whether the setting is read: %p', (text, isRead) => {
  expect(namesOrder(text)).toBe(isRead);
});

it('is read in one file, beside its definition', () => {
  const sources = filesOfDocuments.filter((file) => /^src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'));
  expect(sources.filter((file) => namesOrder(read(file)))).toEqual([
    'src/config.ts',
    'src/services/calls/call-order.ts',
  ]);
});
