/** Turns a web page into Markdown: finds the article among navigation and adverts, keeps headings, code and links. */
import { gfm } from '@joplin/turndown-plugin-gfm';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { InputError } from '../serve.mjs';

const WORDS_PER_MINUTE = 220;
const MIN_MAIN_LENGTH = 200;
const MAX_ELEMENTS = 10_000;
const MAX_DEPTH = 200;
const MAX_LINKS = 500;

/** @param {{ html?: unknown, base_url?: unknown, scope?: unknown }} input */
export function htmlToMarkdown({ html, base_url: baseUrl, scope = 'article' }) {
  if (typeof html !== 'string' || html === '') throw new InputError('html must be a text that is not empty.');
  if ((html.match(/<[a-z]/gi) ?? []).length > MAX_ELEMENTS) {
    throw new InputError(`The page has more than ${MAX_ELEMENTS} elements.`);
  }
  const { document } = parseHTML(
    /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`,
  );
  if (isTooDeep(document)) throw new InputError(`The page is nested more than ${MAX_DEPTH} levels deep.`);
  const head = headOf(document);
  makeAbsolute(document, baseOf(baseUrl));
  if (scope === 'article') keepMain(document);
  const article = scope === 'article' ? extractArticle(document) : undefined;
  const root = fragment(article?.content ?? pageOf(document));
  const markdown = createTurndown().turndown(root.innerHTML).trim();
  const words = markdown.match(/[\p{L}\p{N}]+(?:['’.,-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  return {
    title: head.title ?? (article?.title || collapse(root.querySelector('h1, h2')?.textContent) || null),
    byline: article?.byline?.trim() || null,
    language: article?.lang || head.language || null,
    is_article: article !== undefined,
    markdown,
    words,
    reading_minutes: words === 0 ? 0 : Math.max(1, Math.round(words / WORDS_PER_MINUTE)),
    headings: headingsOf(root),
    links: linksOf(root),
  };
}

function isTooDeep(document) {
  let level = [...document.children];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((element) => [...element.children]);
  }
  return false;
}

function headOf(document) {
  return {
    title: document.querySelector('title')?.textContent?.trim() || null,
    language: document.documentElement?.getAttribute('lang') ?? null,
  };
}

function baseOf(baseUrl) {
  if (baseUrl === undefined) return undefined;
  const url = typeof baseUrl === 'string' ? urlOf(baseUrl) : undefined;
  if (!url) throw new InputError('base_url must be an absolute URL.');
  return url;
}

/** Undefined for a text that is no URL. */
function urlOf(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Addresses become absolute where a base is known; script addresses are dropped. */
function makeAbsolute(document, base) {
  for (const [selector, attribute] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ]) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(attribute).trim();
      if (/^(?:javascript|data|vbscript):/i.test(value)) element.removeAttribute(attribute);
      else if (base) element.setAttribute(attribute, urlOf(value, base)?.href ?? value);
    }
  }
}

/** A page that marks its main part once means it: what lies around it (menus, hidden dialogues) is dropped. */
function keepMain(document) {
  const [main, another] = document.querySelectorAll('main');
  if (!main || another || collapse(main.textContent).length < MIN_MAIN_LENGTH) return;
  document.body.replaceChildren(main);
}

/** The main content as the browser's reader view sees it; undefined when the page has none. */
function extractArticle(document) {
  return new Readability(document.cloneNode(true), { charThreshold: 200 }).parse() ?? undefined;
}

function pageOf(document) {
  for (const element of document.querySelectorAll('script, style, noscript, template, svg')) element.remove();
  return document.body?.innerHTML ?? '';
}

function fragment(html) {
  return parseHTML(`<!doctype html><html><body><main>${html}</main></body></html>`).document.querySelector(
    'main',
  );
}

function createTurndown() {
  const turndown = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
  });
  turndown.use(gfm);
  turndown.remove(['script', 'style', 'button']);
  return turndown;
}

function headingsOf(root) {
  return [...root.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((heading) => ({
    level: Number(heading.tagName.slice(1)),
    text: collapse(heading.textContent),
  }));
}

function linksOf(root) {
  const links = [...root.querySelectorAll('a[href]')].map((link) => ({
    text: collapse(link.textContent),
    url: link.getAttribute('href'),
  }));
  return links.filter(({ url }) => !url.startsWith('#')).slice(0, MAX_LINKS);
}

function collapse(text) {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
