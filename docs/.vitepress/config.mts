import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitepress';
import { markdownHref, writeMarkdown } from './markdown.mts';
import { DOCS, sidebar } from './pages.mts';

type Markdown = Parameters<
  NonNullable<NonNullable<Parameters<typeof defineConfig>[0]['markdown']>['config']>
>[0];

const DECISIONS = 'adr/';

/** `npm run docs`: the documents of this folder as static pages, which the API serves at `/docs`. */
export default defineConfig({
  title: 'Agent marketplace',
  description: 'Sell, buy and run AI agents: how to, reference and explanation.',
  lang: 'en',
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  base: '/docs/',
  outDir: '../dist/docs',
  cacheDir: '../dist/.docs-cache',
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  // The content security policy allows no font and no image of another host.
  vite: { build: { chunkSizeWarningLimit: 4000, assetsInlineLimit: 0 } },
  markdown: { config: linkOnlyToPages },
  // The Markdown of a page for readers that are programs.
  transformHead: ({ page }) =>
    page === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: markdownHref(page) }]],
  buildEnd: ({ outDir }) => writeMarkdown(outDir),
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebar(),
    nav: [
      { text: 'Tutorials', link: '/tutorials/sell-your-agent' },
      { text: 'Guides', link: '/accounts' },
      { text: 'REST API', link: '/api/', target: '_self' },
    ],
  },
});

/**
 * Changes what a page for readers of the repository has, and a site has not: a link to a file outside `docs/` becomes its
 * text, and a Mermaid diagram becomes an element that the theme draws. The search leaves out the decisions, whose words would
 * otherwise stand above the guides.
 */
function linkOnlyToPages(markdown: Markdown): void {
  markdown.core.ruler.push('links-to-pages', ({ tokens, env }) => {
    const page = env as { path?: string; frontmatter?: Record<string, unknown> };
    for (const { children } of tokens) unlink(children ?? [], page.path ?? '');
    if (relative(DOCS, page.path ?? '').startsWith(DECISIONS))
      page.frontmatter = { ...page.frontmatter, search: false };
  });
  const fence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return fence?.(tokens, index, ...rest) ?? '';
    return `<MermaidDiagram code="${encodeURIComponent(token.content)}" />`;
  };
}

function unlink(
  tokens: { type: string; attrGet(name: string): string | null; hidden: boolean; tag: string }[],
  page: string,
): void {
  let isOutside = false;
  for (const token of tokens) {
    if (token.type === 'link_open') isOutside = leavesDocs(token.attrGet('href') ?? '', page);
    if (isOutside && (token.type === 'link_open' || token.type === 'link_close')) {
      if (token.type === 'link_close') isOutside = false;
      token.type = 'text';
      token.tag = '';
    }
  }
}

function leavesDocs(href: string, page: string): boolean {
  if (/^([a-z]+:|#|\/)/i.test(href)) return false;
  const file = resolve(dirname(page), decodeURIComponent(href.replace(/[#?].*$/, '')));
  return relative(DOCS, file).startsWith('..') || (!file.endsWith('.md') && existsSync(join(file)));
}
