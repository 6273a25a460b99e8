import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the documents. */
export const DOCS = join(import.meta.dirname, '..');

interface Entry {
  text: string;
  link: string;
}

export interface Group {
  text: string;
  collapsed?: boolean;
  items: (Entry | Group)[];
}

/** The pages of `docs/` itself by kind (Diátaxis). The pages of its folders are listed by folder. */
const HOW_TO = [
  'console',
  'accounts',
  'keys-and-limits',
  'top-ups',
  'streaming',
  'use',
  'mcp-configurations',
  'oauth',
  'mandates',
  'webhooks',
  'self-hosted',
  'verification-bundles',
  'payouts',
  'operations',
];
const REFERENCE = [
  'cli',
  'mcp-and-a2a',
  'found-by-machines',
  'verification-scores',
  'verification-runs',
  'bonds',
  'evidence',
  'glossary',
];
const EXPLANATION = [
  'life-of-a-call',
  'ledger',
  'proof-of-liabilities',
  'egress',
  'threats',
  'cost-of-a-call',
  'cost-of-history',
];

const titleOf = (page: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1]?.replaceAll('`', '') ?? page;

const entry = (page: string): Entry => ({ text: titleOf(page), link: `/${page}` });

/** The pages of a folder, by the `order` of their front matter, then by name. */
function inFolder(folder: string): string[] {
  const orderOf = (page: string): number =>
    Number(/^order: (\d+)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1] ?? 100);
  return pagesIn(folder)
    .map((name) => `${folder}/${name}`)
    .sort((a, b) => orderOf(a) - orderOf(b) || a.localeCompare(b));
}

/** The names of the Markdown files of a folder, without their ending. None if the folder does not exist. */
function pagesIn(folder: string): string[] {
  try {
    return readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith('.md') && name !== 'index.md')
      .map((name) => name.slice(0, -'.md'.length));
  } catch {
    return [];
  }
}

/** The records of decisions by area, which are the folders of `adr`. */
function decisionAreas(): Group[] {
  const areas = readdirSync(join(DOCS, 'adr'), { withFileTypes: true }).filter((found) =>
    found.isDirectory(),
  );
  return areas
    .map(({ name }) => ({ text: name, collapsed: true, items: inFolder(`adr/${name}`).map(entry) }))
    .sort((a, b) => a.text.localeCompare(b.text));
}

/** The side bar: every page once. Pages that no list names are at the end of the guides. */
export function sidebar(): Group[] {
  const listed = new Set([...HOW_TO, ...REFERENCE, ...EXPLANATION]);
  const others = pagesIn('.').filter((page) => !listed.has(page));
  const groups: Group[] = [
    { text: 'Tutorials', items: inFolder('tutorials').map(entry) },
    {
      text: 'Guides',
      items: [...HOW_TO, ...inFolder('how-to'), ...inFolder('operators'), ...others].map(entry),
    },
    { text: 'Runbooks', collapsed: true, items: inFolder('operators/runbooks').map(entry) },
    {
      text: 'Reference',
      items: [{ text: 'REST API', link: '/api/' }, ...[...inFolder('reference'), ...REFERENCE].map(entry)],
    },
    { text: 'Explanation', items: [...inFolder('explanation'), ...EXPLANATION].map(entry) },
    { text: 'Internals', collapsed: true, items: inFolder('internals').map(entry) },
    { text: 'Decisions', collapsed: true, items: [entry('adr/README'), ...decisionAreas()] },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
