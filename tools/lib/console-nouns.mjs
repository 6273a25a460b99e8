import { fill } from './console-pages.mjs';

/**
 * What people of each role look for in the console: the word, and how a reader finds it on the page. A page is an
 * array: its path in the router, then its words. A function in place of a locator acts on the page first.
 */
const text = (pattern) => (page) => page.getByRole('main').getByText(pattern).first();
const role = (kind, name) => (page) => page.getByRole(kind, { name }).first();
const label = (name) => (page) => page.getByLabel(name).first();
const row = (table, pattern) => (page) =>
  page.getByRole('table', { name: table }).getByRole('row', { name: pattern }).first();
const within = (region, pattern) => (page) =>
  page.getByRole('region', { name: region }).getByText(pattern).first();
/** Presses something, and then looks. */
const after = (press, look) => async (page) => {
  await press(page).click();
  return look(page);
};

const VISITOR = [
  [
    '/',
    ['price', text(/credits? a call/)],
    ['score', role('img', /^Trust score \d+ of 100/)],
    ['badge', text('Basic')],
    ['latency', text(/ typical/)],
    ['search', label('Search')],
    ['"try it"', role('link', 'Try it')],
  ],
  [
    '/agents/$agentId',
    ['what it does', text(/Looks at a CSV text/)],
    ['price with examples in credits and money', within('Price', /500 credits · US\$5\.00/)],
    ['data handling', within('Data handling', 'Kept for')],
    ['subprocessors', within('Data handling', 'Subprocessors')],
    ['p50 and p95 over time', role('figure', /^Latency by day: median and 95th/)],
    ['success rate over time', role('figure', /^Success rate by day/)],
  ],
  [
    '/agents/$agentId?tab=trust',
    ['trust report', text(/of 100 points/)],
    ['findings', text('No findings')],
    ['what was not looked at', text('Not inspected')],
  ],
  [
    '/agents/$agentId?tab=versions',
    ['versions', row('Versions', /1\.0\.0/)],
    ['changelog', role('columnheader', 'What is new')],
  ],
  [
    '/agents/$agentId?tab=code',
    ...[
      'curl',
      'TypeScript',
      'Python',
      'Claude Code',
      'Claude Desktop',
      'Cursor',
      'VS Code',
      'Zed',
      'Others',
    ].map((name) => [`code: ${name}`, after(role('tab', name), label(new RegExp(`^${name} code$`)))]),
  ],
  ['/agents/$agentId/try', ['"try it" form', label(/^csv/)]],
];

const BUYER = [
  [
    '/agents/$agentId/try',
    ['form from the input schema', label(/^csv/)],
    ['descriptions', text(/^The CSV text, with its header/)],
    ['examples', label('Fill in an example')],
    ['price', text(/^The price is 5 credits a call/)],
    ['ceiling before the call', label('Most that this call may cost')],
    ['output', after(role('button', /^Run for 5 credits/), label('output'))],
    ['receipt', within('Receipt', '5 credits')],
    ['JSON view', after((page) => page.getByText('JSON', { exact: true }), label('Input as JSON'))],
  ],
  ['/keys', ['caps and spend of keys', text(/\d+ of 50/)]],
  [
    '/calls',
    ...['Agent', 'State', 'Key', 'From', 'To'].map((name) => [`calls by ${name}`, label(name)]),
    ['calls', row('Calls', /agt_/)],
  ],
  [
    '/calls/$invocationId',
    ...[
      'Accepted',
      'Held',
      'Forwarded to the agent',
      'Answered',
      'Matches the output schema',
      'Released',
      'Charged',
      'Settled',
    ].map((name) => [`timeline: ${name}`, text(new RegExp(`^${name}$`))]),
    ['times', text(/\d\d:\d\d:\d\d\.\d{3}/)],
    ['amounts', text(/available afterwards/)],
  ],
  [
    '/wallet',
    ['wallet', text('Available')],
    ['top-up', after(role('button', 'Add credits'), label('Amount'))],
  ],
  ['/wallet?tab=invoices', ['invoices', role('link', /as PDF$/)]],
  [
    '/disputes',
    ['disputes', row('Disputes', /agt_/)],
    ['deadlines of disputes', role('columnheader', 'Answer due')],
  ],
  ['/disputes/$disputeId', ['deadline of a dispute', text('The developer answers by')]],
  ['/webhooks', ['webhooks', row('Webhooks', /https/)]],
  [
    '/webhooks/$webhookId',
    ['deliveries', row('Deliveries', /webhook\.test/)],
    ['resend', role('button', 'Resend')],
  ],
];

const DEVELOPER = [
  [
    '/developer',
    ...[
      'Pay the registration fee',
      'Set a payout method',
      'Send your tax form',
      'Publish your first agent',
    ].map((name) => [`checklist: ${name}`, text(name)]),
    ['next payout', text('Next payout')],
  ],
  ['/developer/agents', ['agents with state', text('Not listed')], ['score', role('img', /^Trust score/)]],
  [
    '/developer/agents/$untidyId',
    ['"why am I not listed"', text('Why buyers do not find this agent')],
    ['what to do', text(/Follow the remedy of each critical finding/)],
    ['verification by stage', within('Verification', 'Red team')],
    ['findings with remedies', text(/Revoke it at its issuer/)],
    ['contest', role('button', 'Contest')],
    ['acknowledge', role('button', 'Acknowledge')],
    [
      'more findings',
      after(role('button', 'Show more'), (page) => page.getByRole('button', { name: 'Acknowledge' }).nth(25)),
    ],
  ],
  [
    '/developer/publish',
    ['publishing by dropping a folder', text('Drop the folder of your agent here')],
    ['manifest', label('Manifest')],
  ],
  ['/developer/agents/$converterId/calls', ['failed calls with reasons', text(/counts against the agent/)]],
  [
    '/developer/earnings',
    ['earnings over time', role('figure', 'Credits paid out')],
    ['payouts', row('Payouts', /Paid/)],
  ],
  ['/developer/earnings?tab=maturing', ['what matures when', role('columnheader', 'Matures on')]],
  ['/developer/payouts/$payoutId', ['statement down to the call', row('Statement', /inv_/)]],
  ['/developer/payouts/$refusedId', ['payout that the bank refused', text(/^R0\d/)]],
  ['/developer/bond', ['bond', text('Held for slashes')], ['slashes', row('Slashes', /agt_/)]],
  [
    '/developer/slashes/$slashId',
    ['countdown', role('timer')],
    ['answer form', label('Your counter-argument')],
  ],
];

const decision = (kind) => role('article', new RegExp(`^${kind} `));
const OPERATOR = [
  [
    '/operator',
    ['one box', label('Find by any id')],
    ['more decisions', after(role('button', 'Show more'), (page) => page.getByRole('article').nth(25))],
    ...['Slash', 'Dispute', 'Contest', 'Payment', 'Failed payout', 'Tax form'].map((kind) => [
      `decision: ${kind}`,
      async (page) => {
        await page.getByRole('textbox', { name: 'Kind of decision' }).click();
        await page.getByRole('option', { name: kind, exact: true }).click();
        return decision(kind)(page);
      },
    ]),

    ['time travel', text('Time travel')],
  ],
  ['/operator?find=$traceId', ['trace leads to money', row('Movements', /Platform fee/)]],
  ['/operator?find=$disputeId', ['dispute leads to its page', role('heading', /^Dispute: /)]],
  [
    '/operator?find=$slashId',
    ['slash leads to its page', text(/Taken from the bond|Given back to the bond/)],
  ],
  ['/operator?find=$payoutId', ['payout leads to money', row('Movements', /payout/i)]],
  [
    '/operator?find=buyer@marketplace.example',
    ['e-mail leads to money', row('Movements', /Invocation charge/)],
    [
      'freeze with reason',
      after(role('button', 'Freeze the wallet'), (page) => page.getByRole('dialog').getByLabel('Reason')),
    ],
  ],
  [
    '/operator/agents/$agentId',
    [
      'suspend with reason',
      after(role('button', 'Suspend'), (page) => page.getByRole('dialog').getByLabel('Reason')),
    ],
  ],
  ['/operator/slashes', ['slashes in any state', row('Slashes', /agt_/)]],
  ['/operator/disputes', ['disputes in any state', row('Disputes', /agt_/)]],
  ['/operator/payments', ['quarantined payments', row('Payments', /Quarantined/)]],
  [
    '/operator/payouts',
    ['the Monday', text('Next run')],
    ['paid payouts', row('Payouts', /Paid/)],
    ['refused payouts', row('Payouts', /R0\d/)],
  ],
  ['/operator/ledger', ['ledger check', text('Proven through')], ['sealed days', text('Sealed through')]],
  ['/operator/audit', ['audit log', row('Audit log', /Settled a payout/)]],
  [
    '/platform',
    ...['Postgres', 'Temporal', 'Worker', 'Work in the background'].map((part) => [
      `health: ${part}`,
      text(part),
    ]),
    ['queues and lags', text('Quarantined payments')],
    ['migrations', text('Migrations')],
    ['versions', text(/^Version \d/)],
    ['open holds by age', text('Open holds')],
  ],
];

/** The pages of each role with their words. `ids` are those of `idsOf`. */
export function nounsWith(ids) {
  const roles = { visitor: VISITOR, buyer: BUYER, developer: DEVELOPER, operator: OPERATOR };
  return Object.entries(roles).map(([name, pages]) => [
    name,
    pages.map(([route, ...nouns]) => ({ path: fill(route, ids), nouns })),
  ]);
}
