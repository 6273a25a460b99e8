/** Sitemaps (sitemaps.org, 0.9): what a crawler should read, as XML. */

export interface SitemapPage {
  /** An absolute address. */
  address: string;
  changedAt?: Date;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';
const SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** The sitemaps of a site. */
export function sitemapIndex(addresses: readonly string[]): string {
  const maps = addresses.map((address) => `<sitemap><loc>${escaped(address)}</loc></sitemap>`);
  return `${HEAD}\n<sitemapindex ${SPACE}>\n${maps.join('\n')}\n</sitemapindex>\n`;
}

/** One sitemap. The protocol permits 50,000 pages. */
export function sitemap(pages: readonly SitemapPage[]): string {
  const urls = pages.map(({ address, changedAt }) => {
    const changed = changedAt ? `<lastmod>${changedAt.toISOString()}</lastmod>` : '';
    return `<url><loc>${escaped(address)}</loc>${changed}</url>`;
  });
  return `${HEAD}\n<urlset ${SPACE}>\n${urls.join('\n')}\n</urlset>\n`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
