/** What a link to a page of the console says where it is shared: title and description in the head of the page. */

export interface PageHead {
  title: string;
  description: string;
}

const AGENT_PAGE = /^agents\/(agt_[a-z0-9_]{1,88}_v[0-9]{1,4})(?:\/try)?\/?$/;
const MOST_DESCRIPTION = 200;

/** The agent whose page a path below `/console/` is. */
export const agentOfPage = (name: string): string | undefined => AGENT_PAGE.exec(name)?.[1];

/** The page with the title and description of an agent in place of those of the marketplace. */
export function pageWithHead(page: string, { title, description }: PageHead): string {
  const characters = Array.from(description.replaceAll(/\s+/g, ' ').trim());
  const isLong = characters.length > MOST_DESCRIPTION;
  const shown = isLong ? `${characters.slice(0, MOST_DESCRIPTION - 1).join('')}…` : characters.join('');
  const withContent = (html: string, name: string, content: string) =>
    html.replace(
      new RegExp(`(<meta\\s+(?:name|property)="${name}"\\s+content=")[^"]*(")`),
      (_all, before: string, after: string) => `${before}${escaped(content)}${after}`,
    );
  let html = page.replace(
    /<title>[^<]*<\/title>/,
    () => `<title>${escaped(title)} · Agent marketplace</title>`,
  );
  html = withContent(html, 'og:title', title);
  if (shown === '') return html;
  return withContent(withContent(html, 'description', shown), 'og:description', shown);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Text that is safe in HTML and in quoted attributes, and that stands for no place of the page. */
export const escaped = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character).replaceAll('__', '_&#95;');
