/** Drives the console with the keyboard alone. */
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../waits';

/** The most presses of Tab between two controls that a walk uses. */
const MOST_TABS = 150;

/** Elements with the cursor of a link that no key reaches. Runs in the page. */
const POINTER_ONLY = `[...document.querySelectorAll('body *')]
  .filter((one) => getComputedStyle(one).cursor === 'pointer' && one.checkVisibility())
  .filter((one) => !one.closest('a[href], button, input, select, textarea, label, summary, [tabindex], [role=option]'))
  .map((one) => one.outerHTML.slice(0, 120))`;
const IS_AT_START = `document.activeElement === document.body || document.activeElement.matches('.skip')`;

export interface Keyboard {
  /** Goes to what the field for everything finds first for the words, and waits for its title. */
  find(words: string, heading: string | RegExp): Promise<void>;
  /** Moves on with Tab until the control has the focus. */
  tabTo(control: Locator): Promise<void>;
  /** Moves on to the control and presses Enter. */
  press(control: Locator): Promise<void>;
  /** Moves on to the field and types the text in place of what it has. */
  type(field: Locator, text: string): Promise<void>;
  /** Follows a link to another page. */
  follow(link: Locator, heading: string | RegExp): Promise<void>;
  /** Presses the button of the dialogue, after the reason if one is wanted, and waits until it is done. */
  act(button: Locator, reason?: string): Promise<void>;
  /** What is wrong on this page: a place that Tab does not leave, and what only a pointer reaches. */
  problems(): Promise<string[]>;
}

export function keyboardOf(page: Page): Keyboard {
  const hasFocus = (control: Locator) =>
    control
      .first()
      .evaluate((one: { contains(other: unknown): boolean; ownerDocument: { activeElement: unknown } }) =>
        one.contains(one.ownerDocument.activeElement),
      );

  async function tabTo(control: Locator) {
    await control.first().waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      if (await hasFocus(control)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${control.toString()} on ${page.url()}`);
  }

  async function press(control: Locator) {
    await tabTo(control);
    await page.keyboard.press('Enter');
  }

  async function title(heading: string | RegExp) {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.waitForSelector('[aria-label=Loading]', { state: 'detached' });
  }

  async function type(field: Locator, text: string) {
    await tabTo(field);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(text);
  }

  return {
    tabTo,
    press,
    type,
    async find(words, heading) {
      await page.keyboard.press('Control+k');
      await page.waitForSelector('[role=combobox]:focus');
      await page.keyboard.type(words);
      const first = page.getByRole('option').first();
      await eventually(async () => (await first.innerText()).toLowerCase().includes(words.toLowerCase()));
      await page.keyboard.press('Enter');
      await title(heading);
    },
    async follow(link, heading) {
      await press(link);
      await title(heading);
      await page.waitForSelector('main:focus, :is(main, [role=dialog]) :focus');
    },
    async act(button, reason) {
      await press(button);
      const dialog = page.getByRole('dialog');
      await dialog.waitFor();
      if (reason !== undefined) await type(dialog.getByRole('textbox').last(), reason);
      await press(dialog.locator('button[type=submit]'));
      await dialog.waitFor({ state: 'detached' });
    },
    async problems() {
      const found = await page.evaluate<string[]>(POINTER_ONLY);
      for (let tabs = 0; tabs < 2 * MOST_TABS; tabs++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate<boolean>(IS_AT_START)) return found;
      }
      return [
        ...found,
        `Tab does not leave ${await page.evaluate<string>('document.activeElement.outerHTML')}`,
      ];
    },
  };
}
