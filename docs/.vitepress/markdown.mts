import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { DOCS, type Group, sidebar } from './pages.mts';

/** The origin in the built files, which is that of `npm start`. The API writes its own in its place. */
const ORIGIN = 'http://127.0.0.1:4000';
/** Groups of the side bar that few readers need; a model may skip them. */
const OPTIONAL = ['Runbooks', 'Internals', 'Decisions'];
const LONGEST = 200;

/** Writes the Markdown of every page beside its HTML, and `llms.txt`, which lists them, into the folder of the site. */
export function writeMarkdown(site: string): void {
  for (const page of pages()) {
    const file = join(site, page);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, markdownOf(page));
  }
  writeFileSync(join(site, 'llms.txt'), llmsTxt());
}

/** The address of the Markdown of a page. */
export const markdownHref = (page: string): string => `/docs/${page}`;

/** All pages, as paths of their files below `docs`. */
function pages(): string[] {
  return readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'));
}

/** The page without its front matter. A link that leaves `docs` becomes its text, as on the site. */
function markdownOf(page: string): string {
  const folder = dirname(join(DOCS, page));
  const leaves = (href: string) =>
    !/^([a-z]+:|#|\/)/i.test(href) &&
    relative(DOCS, resolve(folder, href.replace(/[#?].*$/, ''))).startsWith('..');
  let isCode = false;
  return textOf(page)
    .split('\n')
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line.replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, text: string, href: string) =>
        leaves(href) ? text : link,
      );
    })
    .join('\n');
}

const textOf = (page: string): string =>
  readFileSync(join(DOCS, page), 'utf8').replace(/^---\n[^]*?\n---\n+/, '');

/** The first paragraph of a page, in one line without marks. */
function summaryOf(page: string): string {
  const [, paragraph = ''] =
    /^# .+\n+(?:Status: .+\n+)?(?:## .+\n+)?([A-Z][^]*?)(?:\n\n|$)/m.exec(textOf(page)) ?? [];
  const text = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).trimEnd()}…` : text;
}

/** The pages of a group. Groups inside it, which are the areas of decisions, have a page that lists them. */
function linksOf({ items }: Group): string[] {
  return items.flatMap((item) => {
    if ('items' in item) return [];
    if (item.link.endsWith('/')) return [`- [${item.text}](${ORIGIN}/docs${item.link})`];
    const page = `${item.link.slice(1)}.md`;
    const summary = summaryOf(page);
    return [`- [${item.text}](${ORIGIN}${markdownHref(page)})${summary === '' ? '' : `: ${summary}`}`];
  });
}

/** The list of what a model may read, in the form of llmstxt.org. */
function llmsTxt(): string {
  const groups = sidebar();
  const isOptional = ({ text }: Group) => OPTIONAL.includes(text);
  const section = (title: string, lines: readonly string[]) => `## ${title}\n\n${lines.join('\n')}\n`;
  return [
    `# Agent marketplace\n`,
    `> Developers publish agents; programs, assistants and other agents buy calls to them for credits. 100 credits are one US dollar, and a call that fails costs nothing.\n`,
    `Each page of the documentation has its Markdown at its address with \`.md\`. To use the market from here, connect to its MCP server at ${ORIGIN}/mcp: it finds, describes and calls every agent.\n`,
    section('For programs', [
      `- [MCP server of the market](${ORIGIN}/mcp): search_agents, describe_agent, call_agent and five more tools; sign in by OAuth or with an API key`,
      `- [OpenAPI document](${ORIGIN}/openapi.json): every operation of the REST API`,
      `- [Listings](${ORIGIN}/v1/listings): agents as JSON; \`q\` is an intent in words`,
      `- [AI Catalog](${ORIGIN}/.well-known/ai-catalog.json): every listed agent as an MCP server and an A2A agent, signed`,
      `- [MCP registry](${ORIGIN}/v0.1/servers): the same agents as the read-only API of the MCP registry`,
    ]),
    ...groups.filter((group) => !isOptional(group)).map((group) => section(group.text, linksOf(group))),
    section('Optional', groups.filter(isOptional).flatMap(linksOf)),
  ].join('\n');
}
