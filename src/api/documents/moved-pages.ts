import { readdirSync } from 'node:fs';
import path from 'node:path';

/** Pages that have another name now, without their ending: links to the old names keep working. */
export const MOVED_PAGES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    assistants: 'mcp-configurations',
    'explanation/verified': 'explanation/what-verified-proves',
    'operators/sizing': 'operators/hardware',
    performance: 'cost-of-a-call',
    protocols: 'mcp-and-a2a',
    scale: 'cost-of-history',
    scaling: 'operators/more-machines',
    scanning: 'verification-bundles',
    verification: 'verification-scores',
  }),
);

/** A record of a decision, in a folder of its area or, as before, in none. */
const DECISION = /^adr\/(?:[a-z]{1,40}\/)?(\d{4})-[\w-]{1,200}$/;

/**
 * Returns the present name of a page of the site in `folder`, both without ending; undefined if the page is not known.
 * A decision is found by its number, whatever it was called.
 */
export function movedPage(page: string, folder: string): string | undefined {
  const name = page.replace(/\.html$/, '');
  const [, number] = DECISION.exec(name) ?? [];
  return number === undefined ? MOVED_PAGES.get(name) : decisionOf(number, path.join(folder, 'adr'));
}

function decisionOf(number: string, folder: string): string | undefined {
  const file = decisionsIn(folder).find((each) => path.basename(each).startsWith(`${number}-`));
  return file === undefined
    ? undefined
    : `adr/${file
        .split(path.sep)
        .join('/')
        .replace(/\.html$/, '')}`;
}

function decisionsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.html'),
    );
  } catch {
    return [];
  }
}
