import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where `npm run docs` puts the site. The folder of this file is `src/api/documents` or `dist/api/documents`. */
export const DOCS_SITE = path.join(__dirname, '..', '..', '..', 'dist', 'docs');

/** No pages of a reader: the start, the API reference without content of its own, and the page of missing ones. */
const NOT_LISTED = /^(?:index|404|api\/.*)$/;
const known = new Map<string, readonly string[]>();

/** The addresses of the documentation's pages, `/docs/payouts`. None while the site is not built. */
export function docsPages(folder = DOCS_SITE): readonly string[] {
  const before = known.get(folder);
  if (before) return before;
  if (!existsSync(folder)) return [];
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) =>
      name
        .split(path.sep)
        .join('/')
        .replace(/\.html$/, ''),
    )
    .filter((name) => !NOT_LISTED.test(name))
    .map((name) => `/docs/${name.replace(/(^|\/)index$/, '$1')}`)
    .sort();
  known.set(folder, pages);
  return pages;
}
