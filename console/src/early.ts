import { readEarly } from './client/early-reads';
import { isKnownVisitor } from './client/visitor';
import { PAGES } from './page-table';
import { addressOfRead, readsOf } from './reads';

/**
 * Runs before the console's own code has been loaded: asks for the code of the page that the address names and for what
 * it reads first, so that all of it comes at the same time. The router repeats a read that fails here.
 */
const BASE = /^\/console(?=\/|$)/;

/** The values of the parameters in `pattern`, such as `/calls/$invocationId`; undefined if it is another page. */
function paramsOf(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, found] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== found.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = found[index] ?? '';
    if (part.startsWith('$')) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** The colours that the reader chose; undefined also where the browser keeps nothing for the page. */
function chosenScheme(): string | null | undefined {
  try {
    return localStorage.getItem('mantine-color-scheme-value');
  } catch {
    return undefined;
  }
}

/** Shows the chosen colours before the component library is here. */
function showScheme(): void {
  const chosen = chosenScheme();
  if (chosen === 'light' || chosen === 'dark')
    document.documentElement.dataset['mantineColorScheme'] = chosen;
}

function begin(): void {
  showScheme();
  const path = location.pathname.replace(BASE, '').replace(/\/$/, '') || '/';
  const matches = PAGES.map((page) => ({ page, params: paramsOf(page.path, path) }));
  const { page, params = {} } = matches.find((match) => match.params !== undefined) ?? {};
  page?.load().catch(() => undefined);
  if (!isKnownVisitor()) readEarly('/v1/auth/me');
  for (const read of readsOf(page?.path ?? path, params, location.search)) readEarly(addressOfRead(read));
}

begin();
