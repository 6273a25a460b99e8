import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './table';

/** The folder of the records of decisions. */
export const DECISIONS = join(__dirname, '../../docs/adr');

/** The areas, which are the folders of the records, with what belongs there. */
export const AREAS = {
  calls: 'a call from acceptance to settlement: workflow, hold, streams, masking, tasks, receipts',
  money: 'ledger, prices, fee, top-ups, mandates, disputes, bonds, payouts',
  verification: 'runs, probes, findings, rubrics, the reading of bundles',
  catalogue: 'agents, versions, registrations, schemas, search',
  accounts: 'sign-up, sessions, keys, OAuth, limits of callers, mails',
  protocols: 'the wire: errors, MCP, A2A, events and streams, generated clients',
  operations: 'settings, storage, metrics, local stack, console, command line',
  tests: 'what is tested, and how',
} as const;

export interface Decision {
  number: string;
  area: string;
  /** Path below docs/adr. */
  file: string;
  title: string;
  status: string;
}

/** All records, by number. Throws if a record does not begin with its heading and its status. */
export function readDecisions(): Decision[] {
  const records = Object.keys(AREAS).flatMap((area) =>
    readdirSync(join(DECISIONS, area)).map((name) => decisionOf(area, name)),
  );
  return records.sort((a, b) => a.number.localeCompare(b.number));
}

function decisionOf(area: string, name: string): Decision {
  const file = `${area}/${name}`;
  const text = readFileSync(join(DECISIONS, file), 'utf8');
  const form = /^# (\d{4}): (.+)\n\nStatus: (accepted|superseded in part|superseded)\.\n/.exec(text);
  const [, number = '', title = '', status = ''] = form ?? [];
  if (form === null || !name.startsWith(`${number}-`))
    throw new Error(`docs/adr/${file} must begin with "# <number>: <title>", an empty line and "Status: …."`);
  return { number, area, file, title, status };
}

/** docs/adr/README.md: how a record is written, and the list of all records. */
export function decisionsPage(): string {
  const decisions = readDecisions();
  const lists = Object.entries(AREAS).map(([area, about]) => {
    const rows = decisions
      .filter((decision) => decision.area === area)
      .map(({ number, file, title, status }) => [`[${number}](${file})`, title, status]);
    return `## ${area}\n\nAbout: ${about}.\n\n${table(['Number', 'Decision', 'Status'], rows)}\n`;
  });
  return `${HEAD}\n${lists.join('\n')}`;
}

const HEAD = `# Decisions

<!-- Written by \`npm run reference\` from the records and tools/reference/decisions.ts. Change those, and run it again. -->

A record says what was decided and why, on half a page. A decision gets a record if it deviates from the specification or the
contract, decides what they leave open, or is costly to change. How the service works today is in
[ARCHITECTURE.md](../../ARCHITECTURE.md), in [the life of a call](../life-of-a-call.md) and in [internals](../internals/README.md), which have
tuning and measured figures.

To add a record:

1. Write \`docs/adr/<area>/<number>-<name>.md\`. The areas are the folders below. The number is the next free one in all areas.
2. Begin with \`# <number>: <title>\`, an empty line and \`Status: accepted.\` The title states the decision as a sentence that a
   reader understands without the record. The sections are \`## Context\`, \`## Decision\` and \`## Consequences\`.
3. If the record ends an older one, write \`- Supersedes [ADR <number>](<file>).\` below its status, and
   \`- Superseded by [ADR <number>](<file>).\` below the status of the older one, which keeps its content. For a part, write
   \`Supersedes in part\` and \`Superseded in part by\`; for an addition, \`Extends\` and \`Extended by\`.
4. Run \`npm run reference\`, which writes this page. \`test/arch/decisions.test.ts\` checks the form, the numbers and the
   references in both directions.

Code and comments cite a record by its number: \`ADR 0004\`.
`;
