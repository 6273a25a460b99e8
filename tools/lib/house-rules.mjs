import { writtenText } from './written-text.mjs';

/**
 * Words that comments avoid, with what to write instead. They turn a comment into a riddle: the subject is
 * unnamed ("nobody", "whoever") or a program acts like a person ("told"). See CONTRIBUTING.md for the style.
 */
const AVOIDED_WORDS = {
  told: 'notified, receives, or reports',
  stranger: 'untrusted or attacker-controlled',
  strangers: 'untrusted or attacker-controlled',
  deed: 'action, or audit log entry',
  deeds: 'actions, or audit log entries',
  nobody: 'the noun that is meant: no caller, no account, no process',
  somebody: 'the noun that is meant: another account, a caller',
  whoever: 'the noun that is meant: the caller, the owner',
  whomever: 'the noun that is meant: the caller, the owner',
};
const avoided = new RegExp(`\\b(${Object.keys(AVOIDED_WORDS).join('|')})\\b`, 'i');

const WIDEST_COMMENT = 120;
/** Tables, directives of tools, and addresses, which cannot be wrapped. */
const NOT_WRAPPED = /^\s*(\/\/|\/?\*+) ?\||prettier-ignore|eslint-|@ts-|https?:\/\/\S{60}/;

/** What names of tests avoid as well: phrases that only a reader of the project understands. */
const avoidedInNames = new RegExp(
  `${avoided.source}|\\b(tells?|is none|is nothing for|knows no|hung up on)\\b`,
  'i',
);

/** The text of a test's name, or null for calls of other functions. */
function testName({ callee, arguments: [name] }) {
  let root = callee;
  while (root.type !== 'Identifier') {
    root = root.object ?? root.callee ?? root.tag;
    if (root === undefined) return null;
  }
  if (!['it', 'test', 'describe'].includes(root.name) || name === undefined) return null;
  if (name.type === 'Literal' && typeof name.value === 'string') return name.value;
  return name.type === 'TemplateLiteral' ? name.quasis.map(({ value }) => value.raw).join(' ') : null;
}

/** The project's own lint rules. */
export const house = {
  rules: {
    'written-text': writtenText,
    'plain-english': {
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments()) {
            const word = avoided.exec(comment.value)?.[1];
            if (word === undefined) continue;
            const instead = AVOIDED_WORDS[word.toLowerCase()];
            context.report({ loc: comment.loc, message: `Avoid "${word}" in comments. Write ${instead}.` });
          }
        },
      }),
    },
    'plain-test-name': {
      create: (context) => ({
        CallExpression(node) {
          const phrase = avoidedInNames.exec(testName(node) ?? '')?.[0];
          if (phrase === undefined) return;
          const message = `Avoid "${phrase}" in the name of a test. Write the subject, the condition and the result.`;
          context.report({ node: node.arguments[0], message });
        },
      }),
    },
    'comment-width': {
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments()) {
            const lines = context.sourceCode.lines.slice(comment.loc.start.line - 1, comment.loc.end.line);
            for (const [index, line] of lines.entries()) {
              const isAlone = /^\s*(\/\/|\/?\*)/.test(line);
              if (!isAlone || line.length <= WIDEST_COMMENT || NOT_WRAPPED.test(line)) continue;
              const at = { line: comment.loc.start.line + index, column: 0 };
              context.report({ loc: at, message: `Wrap comments at ${WIDEST_COMMENT} columns.` });
            }
          }
        },
      }),
    },
    'formatted-code': {
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments()) {
            if (!comment.value.includes('prettier-ignore')) continue;
            const line = context.sourceCode.lines[comment.loc.start.line - 1];
            if (/^\s*[\])}].*\/\/ prettier-ignore/.test(line)) continue;
            context.report({ loc: comment.loc, message: 'Only a table may keep a format of its own.' });
          }
        },
      }),
    },
    'kebab-case-file': {
      create: (context) => ({
        Program(node) {
          const name = context.filename.split('/').at(-1) ?? '';
          if (/^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)) return;
          context.report({ node, message: `File names are kebab-case: ${name}` });
        },
      }),
    },
  },
};
