/** The commands that pages name exist: those of runbooks are read when something is wrong already. */
import { filesOfDocuments, read } from './repository-files';

describe('commands that pages name', () => {
  const sections = new Map(
    read('docs/reference/cli.md')
      .split(/\n### market /)
      .slice(1)
      .map((text) => [text.split('\n')[0] ?? '', text]),
  );
  const groups = new Set([...sections.keys()].flatMap((verb) => [verb, verb.split(' ')[0] ?? '']));
  /** `market folder` is `market verify folder`, the verb that a group has without a name. */
  const UNNAMED = new Set(['verify']);
  const GLOBAL = /^--(?:help|version|json|api|profile|owner)$/;

  /** What is wrong with `market …`: a verb or an option that the command does not have; undefined if nothing is. */
  function problemOf(command: string): string | undefined {
    const words = command.split(/\s+/).slice(1);
    const plain = words.slice(0, words.findIndex((word) => !/^[a-z][a-z0-9-]*$/.test(word)) >>> 0);
    const verb = [3, 2, 1].map((count) => plain.slice(0, count).join(' ')).find((name) => sections.has(name));
    if (verb === undefined) {
      const [group = '', sub] = plain;
      const isGroup = (groups.has(group) && sub === undefined) || UNNAMED.has(group);
      return isGroup || group === '' ? undefined : `no verb ${plain.slice(0, 2).join(' ')}`;
    }
    const options = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? []);
    const unknown = options.find((one) => !GLOBAL.test(one) && !sections.get(verb)?.includes(`\`${one}`));
    return unknown && `${verb} has no ${unknown}`;
  }

  const pages = filesOfDocuments.filter((file) => /^(?:README\.md|docs\/(?!adr\/).*\.md)$/.test(file));

  it('exist, with their options', () => {
    const problems = pages.flatMap((file) => {
      const text = read(file).replaceAll('\\\n', ' ');
      const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
        block.split(/\n|\| | && /),
      );
      const spans = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
        ([, span = '']) => span,
      );
      return [...blocks.map((line) => line.trim()), ...spans]
        .filter((command) => /^market [a-z]/.test(command))
        .flatMap((command) => problemOf(command.split(/ [#>&;]/)[0] ?? '') ?? [])
        .map((problem) => `${file}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });

  it.each([
    ['market tax-form submit', 'no verb tax-form submit'],
    ['market nothing', 'no verb nothing'],
    ['market invoke word-counter --most 5', 'invoke has no --most'],
  ])('are found when they do not exist: %s', (command, problem) => expect(problemOf(command)).toBe(problem));

  it('are scripts of package.json where npm runs them', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const unknown = pages.flatMap((file) =>
      [...read(file).matchAll(/\bnpm run (?:--silent )?([a-z][a-z:-]*)/g)]
        .filter(([, name = '']) => !Object.hasOwn(scripts, name))
        .map(([command]) => `${file}: ${command}`),
    );
    expect(unknown).toEqual([]);
  });
});
