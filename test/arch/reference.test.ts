/** The pages of docs/reference say what the code does. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INVOCATION_TRANSITIONS } from '../../src/domain/calls/invocation-state';
import { costOf, priceTerms } from '../../src/domain/catalogue/pricing';
import { VERSION_TRANSITIONS } from '../../src/domain/catalogue/version-state';
import { DISPUTE_TRANSITIONS } from '../../src/domain/disputes/dispute-state';
import { SLASH_TRANSITIONS } from '../../src/domain/bonds/slash';
import { PAYOUT_STATUSES } from '../../src/domain/payouts/payout';
import type { Pricing } from '../../src/domain/catalogue/manifest';
import { EVENT_EXAMPLES } from '../../tools/reference/event-examples';
import { eventDataProblems } from '../support/webhooks/webhooks';
import { REFERENCE_PAGES } from '../../tools/reference/pages';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

it.each(Object.entries(REFERENCE_PAGES))('%s is what `npm run reference` writes', async (file, page) => {
  expect(read(file)).toBe(await page());
});

describe('docs/reference/cli.md', () => {
  const verbs = read('docs/reference/cli.md').split('\n### ').slice(1);

  it('has an example of every verb', () => {
    expect(verbs.length).toBeGreaterThan(100);
    expect(
      verbs.filter((verb) => !/\nExamples?:\n {2}\S/.test(verb)).map((verb) => verb.split('\n')[0]),
    ).toEqual([]);
  });

  it('describes each argument and option', () => {
    const rows = verbs.flatMap((verb) => verb.match(/^\| `.*\|$/gm) ?? []);
    expect(rows.filter((row) => /(?:\||default:) *\|$|\| ; default/.test(row))).toEqual([]);
  });
});

/** The text between a heading and the next one. */
function section(page: string, heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

describe('docs/reference/lives.md', () => {
  const page = read('docs/reference/lives.md');
  const moves = (heading: string) =>
    [...section(page, heading).matchAll(/^ +(\w+) --> (\w+):/gm)]
      .map(([, from, to]) => `${from} ${to}`)
      .sort();

  it.each(Object.entries({
    Call: INVOCATION_TRANSITIONS,
    Dispute: DISPUTE_TRANSITIONS,
    Slash: SLASH_TRANSITIONS,
    Verification: VERSION_TRANSITIONS,
  }))('%s has the transitions of the table', (heading, transitions) => {
    const allowed = Object.entries(transitions).flatMap(([from, to]) => Object.keys(to).map((name) => `${from} ${name}`));
    expect(moves(heading)).toEqual(allowed.sort());
  }); // prettier-ignore

  it('names every state of a payout', () => {
    const rows = [...section(page, 'Payout').matchAll(/^\| `(\w+)`/gm)].map(([, state]) => state);
    expect(rows.sort()).toEqual([...PAYOUT_STATUSES].sort());
  });
});

describe('docs/reference/pricing.md', () => {
  const page = read('docs/reference/pricing.md');
  const number = (text = '') => Number(text.replaceAll(',', ''));

  it.each(['Per call', 'Per token', 'Per second'])('%s has the figures of the code', (heading) => {
    const text = section(page, heading);
    const pricing = JSON.parse(/```json\n(.*)\n```/.exec(text)?.[1] ?? '') as Pricing;
    const rows = [...text.matchAll(/^\| +([\d,]+) \| +([\d,]+) \| +([\d,]+) \| +(\d+) \| +([\d.]+) \| +([\d.]+) \|$/gm)];
    expect(rows.length).toBeGreaterThan(1);
    for (const [row, tokensIn, tokensOut, durationMs, charge, fee, earned] of rows) {
      const metered = { tokensIn: number(tokensIn), tokensOut: number(tokensOut), durationMs: number(durationMs) };
      const cost = costOf(priceTerms(pricing), metered);
      expect([row, number(charge), fee, earned]).toEqual([row, cost, (cost * 0.03).toFixed(2), (cost * 0.97).toFixed(2)]);
    }
  }); // prettier-ignore
});

describe('docs/reference/events.md', () => {
  const SOURCES: Record<string, string> = {
    'trust_score.updated': 'migrations/functions/catalogue/agent_standing_write.sql',
    'agent.delisted': 'migrations/functions/catalogue/agent_standing_write.sql',
    'agent.tools_changed': 'src/services/mcp/notary/tool-events.ts',
    'agent.relisted': 'migrations/functions/catalogue/agent_standing_write.sql',
    'agent.verification_completed': 'src/services/verification/run-conclusion.ts',
    review: 'src/services/evidence/reviews.ts',
    finding: 'src/services/verification/waivers.ts',
    'invocation.progress': 'migrations/functions/jobs/job_heard.sql',
    'invocation.input_required': 'migrations/functions/jobs/job_ask.sql',
    invocation: 'migrations/functions/webhooks/event_of_invocation.sql',
    'dispute.offered': 'migrations/functions/webhooks/event_of_offer.sql',
    dispute: 'migrations/functions/webhooks/event_of_dispute.sql',
    bond: 'migrations/functions/bonds/slash_event.sql',
    slash: 'migrations/functions/bonds/slash_event.sql',
    warranty: 'migrations/functions/bonds/warranty_decide.sql',
    payout: 'migrations/functions/payouts/payout_event.sql',
    credits: 'migrations/functions/webhooks/event_of_topup.sql',
    topup: 'migrations/functions/billing/auto_topup_ended.sql',
    rubric: 'migrations/functions/verification/rubric_publish.sql',
    price: 'migrations/functions/prices/price_rise_notify.sql',
  };

  it.each(Object.entries(EVENT_EXAMPLES))('%s has the form of the contract', (type, data) => {
    expect(eventDataProblems(type, data)).toEqual([]);
    expect(eventDataProblems(type, { ...data, agent_id: 5 })).not.toEqual([]);
  });

  it.each(Object.entries(EVENT_EXAMPLES))('%s shows members that its source writes', (type, data) => {
    const source = read(SOURCES[type] ?? SOURCES[type.split('.')[0] ?? ''] ?? '');
    const missing = Object.keys(data).filter((name) => !new RegExp(`\\b${name}\\b`).test(source));
    expect([source.length > 0, missing]).toEqual([true, []]);
  });
});
