/**
 * The console in a real browser. `openBrowser` starts one Chromium; `openTab` logs an account in and collects what a
 * page must never have: errors of scripts and reports of the content security policy.
 */
import { readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { findChromium, HINT } from '../../../tools/lib/chromium.cjs';
import type { TestMarket, TestUser } from '../market';

export const CHROMIUM = findChromium();

/**
 * `describe`, or a skipped one with the reason in its name if Chromium is missing. Each file has a `describe` of its
 * own, and files of one process share this module, so it is looked up when it is called.
 */
export function describeInBrowser(name: string, tests: () => void): void {
  if (CHROMIUM) describe(name, tests);
  else describe.skip(`LEFT OUT, there is no Chromium (${HINT}): ${name}`, tests);
}

/**
 * Chromium loads the popups of the address bar for each window: 0.8 s of CPU, which no test needs. Chromium takes the
 * last list of features only, so the other names are Playwright's.
 */
const WITHOUT_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch']; // prettier-ignore

export async function openBrowser(): Promise<Browser> {
  if (!CHROMIUM) throw new Error(`There is no Chromium. ${HINT}`);
  const args = ['--no-sandbox', '--disable-gpu', `--disable-features=${WITHOUT_FEATURES.join(',')}`];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** Scripts that run in the page. The old title is marked, so that the title of another page can be awaited. */
const goTo = (address: string) => `(() => {
  if (location.pathname + location.search === ${JSON.stringify(address)}) return;
  const isSamePage = location.pathname === new URL(${JSON.stringify(address)}, location.href).pathname;
  if (!isSamePage) for (const title of document.querySelectorAll('h1')) title.dataset.old = '';
  history.pushState({}, '', ${JSON.stringify(address)});
})()`;
/** Axe is half a megabyte of script, which few pages of the tests need. */
const withAxe = async (page: Page, rules: readonly string[]) => {
  if (!(await page.evaluate<boolean>("typeof axe === 'object'"))) await page.evaluate(AXE);
  return page.evaluate<string[]>(runAxe(rules));
};
const runAxe = (runOnly: readonly string[]) => `axe
  .run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] })
  .then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes[0].target.join(' ') + ': ' + nodes[0].failureSummary))`;

export interface Tab {
  page: Page;
  /** Goes to a page as a link of the console does, without loading the document again. */
  go(path: string): Promise<void>;
  /** Serious and critical violations of WCAG on the page that is shown, each with its first place. */
  violations(): Promise<string[]>;
  /**
   * The same, with the names of controls in a narrow window, and what is wrong with a page to print on paper, from dark
   * colours: what cannot be read, and rows without columns.
   */
  allViolations(): Promise<string[]>;
  /** The same in dark colours, of what colours can violate. */
  violationsInDark(): Promise<string[]>;
  /** How many pixels the page is wider than a window of `width` pixels. */
  overflowAt(width: number): Promise<number>;
  /** Errors of scripts and reports of the content security policy so far. */
  complaints: readonly string[];
  close(): Promise<void>;
}

const WIDE = { width: 1280, height: 900 };
const NARROW = 360;
/** A sheet with the margins that browsers leave, in pixels. */
const A4_WIDTH = 718;
const STACKED = `[...document.querySelectorAll('.data-table tr')].filter((row) => getComputedStyle(row).display === 'block').length`;
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** How long a page may take to show its content. */
const PAGE_MS = 15_000;

export async function openTab(
  browser: Browser,
  { url }: Pick<TestMarket, 'url'>,
  user?: Pick<TestUser, 'cookie'>,
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: WIDE,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  if (user) await context.addCookies(cookiesOf(url, user.cookie));
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_MS);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(`${url}/console/`);
  return tabOf(context, page, complaints);
}

function cookiesOf(url: string, cookie: string) {
  return cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
}

/** In a narrow window, some words of controls are left out. */
async function namelessIn(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: NARROW, height: WIDE.height });
  const found = await withAxe(page, ['link-name', 'button-name', 'label', 'select-name']);
  await page.setViewportSize(WIDE);
  return found;
}

async function problemsOnPaper(page: Page): Promise<string[]> {
  if ((await page.getByRole('button', { name: /^Print/ }).count()) === 0) return [];
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: A4_WIDTH, height: WIDE.height });
  await page.waitForSelector('html[data-mantine-color-scheme=dark]');
  const found = await withAxe(page, ['color-contrast', 'link-in-text-block']);
  const stacked = await page.evaluate<number>(STACKED);
  const excess = (await page.evaluate<number>('document.documentElement.scrollWidth')) - A4_WIDTH;
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.setViewportSize(WIDE);
  if (stacked > 0) found.push(`${stacked} rows without columns`);
  if (excess > 0) found.push(`${excess} px too wide on paper`);
  return found;
}

function tabOf(context: BrowserContext, page: Page, complaints: readonly string[]): Tab {
  return {
    page,
    complaints,
    async go(path) {
      await page.evaluate(goTo(`/console${path}`));
      await page.waitForSelector('h1:not([data-old])');
      await page.waitForSelector('[aria-label=Loading]', { state: 'detached' });
    },
    violations: () => withAxe(page, ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']),
    async allViolations() {
      const found = await withAxe(page, ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']);
      return [...found, ...(await namelessIn(page)), ...(await problemsOnPaper(page))];
    },
    async violationsInDark() {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForSelector('html[data-mantine-color-scheme=dark]');
      const found = await withAxe(page, ['color-contrast', 'link-in-text-block']);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.waitForSelector('html[data-mantine-color-scheme=light]');
      return found;
    },
    async overflowAt(width) {
      await page.setViewportSize({ width, height: WIDE.height });
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      await page.setViewportSize(WIDE);
      return wide - width;
    },
    close: () => context.close(),
  };
}
