/** What people do in the console, in a few words. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { request } from '../catalogue/publishing';
import type { TestMarket, TestUser } from '../market';
import type { Tab } from './browser';

/** Presses a button that asks first, gives the reason if one is wanted, and waits until it is done. */
export async function act(
  page: Page,
  action: string,
  { reason, within = page }: { reason?: string; within?: Page | Locator } = {},
): Promise<void> {
  await within.getByRole('button', { name: action, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  if (reason !== undefined) await dialog.getByRole('textbox').fill(reason);
  await dialog.locator('button[type=submit]').click();
  await dialog.waitFor({ state: 'detached' });
}

/** Makes the folder of an agent with a manifest and one file of source. Returns its path. */
export function agentFolder(manifest: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-folder-'));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(folder, 'index.js'), 'export const echo = (input) => input;\n');
  return folder;
}

/** Drops a folder onto the page for publishing, as a person does from the desktop. */
export async function dropFolder(page: Page, folder: string): Promise<void> {
  const zone = await page.getByText('Drop the folder of your agent here').boundingBox();
  if (!zone) throw new Error(`nowhere to drop ${basename(folder)}`);
  const session = await page.context().newCDPSession(page);
  const at = { x: zone.x + 5, y: zone.y + 5 };
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
  await page.getByText('2 files are sent with the manifest: index.js, manifest.json.').waitFor();
}

/** Looks an id up in the operator's search box, and waits for the page with its movements. */
export async function lookUp(page: Page, text: string, heading: string): Promise<void> {
  await page.getByRole('link', { name: 'Decisions', exact: true }).first().click();
  await page.getByLabel('Find by any id').fill(text);
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

/** The public id of a developer. */
export async function developerIdOf(
  { url }: Pick<TestMarket, 'url'>,
  { cookie }: Pick<TestUser, 'cookie'>,
): Promise<string> {
  const { body } = await request<{ developer_id: string }>({ url }, { cookie }, 'GET', '/v1/auth/me');
  return body.developer_id;
}

/** Reserves a payout of what a developer has earned, of a Monday to come. Returns its id. */
export async function reservePayout(
  { owner }: Pick<TestMarket, 'owner'>,
  { userId }: Pick<TestUser, 'userId'>,
): Promise<string> {
  const { rows } = await owner.query<{ payout_id: string }>(
    `SELECT payout_id FROM payout_reserve($1, '2035-01-01', 0, 100000000, ARRAY['ach'], NULL)`,
    [userId],
  );
  const [payout] = rows;
  if (!payout) throw new Error('nothing could be reserved');
  return payout.payout_id;
}

/** Adds credits for so many dollars by the sandbox, and waits until the wallet shows them. */
export async function addCredits({ go, page }: Pick<Tab, 'go' | 'page'>, dollars: string): Promise<void> {
  await go('/wallet');
  await page.getByRole('button', { name: 'Add credits' }).click();
  await page.getByLabel('Amount').fill(dollars);
  await page.getByRole('button', { name: `Pay US$${dollars}.00` }).click();
  await page.getByRole('main').getByText(`${dollars}00 credits`).first().waitFor();
}
