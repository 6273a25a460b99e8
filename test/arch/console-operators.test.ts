/** What the console works out for operators and for its frame, without a browser. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_NAMES } from '../../console/src/features/operator/audit-names';
import { countsText } from '../../console/src/features/operator/counts-text';
import { addressOfFound } from '../../console/src/features/operator/found';
import { doEach, groupAlike, sumOf } from '../../console/src/features/operator/group-alike';
import {
  belongingsNamed,
  invoicesNamed,
  pageOfId,
  pagesNamed,
} from '../../console/src/features/shell/find-anything';
import { staleSince } from '../../console/src/features/shell/stale';
import { idIn, tabTitle } from '../../console/src/ui/tab-title';
import { OPERATOR_ACTIONS } from '../../src/domain/accounts/operator-actions';

const HEX = '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';

it('counts cases in the plural where there are several', () => {
  const rows = [
    { kind: 'dispute', status: 'contested', count: 4 },
    { kind: 'slash', status: 'applied', count: 2 },
    { kind: 'dispute', status: 'open', count: 1 },
    { status: 'running', count: 3 },
  ];
  expect(countsText(rows).replaceAll(/[\u2066-\u2069]/g, '')).toBe(
    '4 disputes contested, 2 slashes applied, 1 dispute open, 3 running',
  );
});

describe('decisions', () => {
  const payment = (id: string) => ({ id, kind: 'Payment', alike: 'unknown_topup' });

  it('that are alike stand together where the first of them stands, from three on', () => {
    const dispute = { id: 'd', kind: 'Dispute' };
    const waiver = { id: 'w', kind: 'Waiver', alike: 'unknown_topup' };
    const all = [payment('p1'), dispute, payment('p2'), waiver, payment('p3')];
    expect(groupAlike(all).map((group) => group.map(({ id }) => id))).toEqual([
      ['p1', 'p2', 'p3'],
      ['d'],
      ['w'],
    ]);
    expect(groupAlike(all.slice(0, 4)).map((group) => group.length)).toEqual([1, 1, 1, 1]);
  });

  it('are all tried when some fail, which is said with the first reason', async () => {
    const done: string[] = [];
    const act = (id: string) =>
      id === 'b' ? Promise.reject(new Error('It is decided.')) : Promise.resolve(done.push(id));
    await expect(doEach(['a', 'b', 'c'], act)).rejects.toThrow('2 of 3 are done; 1 failed: It is decided.');
    expect(done).toEqual(['a', 'c']);
    await expect(doEach(['a'], act)).resolves.toBeUndefined();
  });
});

it('adds up the money of decisions of one currency, and of no others', () => {
  const money = (minor: number, currency: string) => ({ money: { minor, currency } });
  expect(sumOf([money(500, 'INR'), money(250, 'INR')])).toEqual({ minor: 750, currency: 'INR' });
  for (const mixed of [[], [{}], [money(5, 'INR'), money(5, 'USD')], [money(5, 'INR'), {}]])
    expect(sumOf(mixed)).toBeUndefined();
});

describe('the audit log', () => {
  it('has plain words for each action that the service or the database records', () => {
    expect(Object.keys(AUDIT_NAMES).sort()).toEqual([...OPERATOR_ACTIONS].sort());
    const folder = join(__dirname, '../../migrations/functions');
    const recorded = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(^|[/_])(operator_note_|slash_action)\w*\.sql$/.test(name))
      .flatMap((name) => readFileSync(join(folder, name), 'utf8').match(/'[a-z_]+\.[a-z_]+'/g) ?? [])
      .map((name) => name.slice(1, -1));
    expect(recorded.length).toBeGreaterThan(4);
    expect(recorded.filter((name) => !(name in AUDIT_NAMES))).toEqual([]);
  });
});

it('leads from the id of a dispute or a slash to its page, and from a call to its money', () => {
  const found = (kind: 'dispute' | 'slash' | 'call', id: string) =>
    addressOfFound({ kind, id, user_id: `usr_${HEX}`, invocation_id: `inv_${HEX}` });
  expect(found('dispute', `dsp_${HEX}`)).toBe(`/operator/disputes/dsp_${HEX}`);
  expect(found('slash', `slh_${HEX}`)).toBe(`/operator/slashes/slh_${HEX}`);
  expect(found('call', `inv_${HEX}`)).toBe(`/operator/calls/inv_${HEX}`);
});

describe('the name of a tab', () => {
  it('has the end of the id, and the name of the view', () => {
    const of = (pathname: string, view?: string) => tabTitle({ title: 'Call', about: idIn(pathname), view });
    expect(of(`/calls/inv_${HEX}`)).toBe('Call · 5f6a7b · Agent marketplace');
    expect(of('/calls')).toBe('Call · Agent marketplace');
    expect(of('/agents/agt_csv_profiler_v1', 'trust')).toBe(
      'Call · agt_csv_profiler_v1 · trust · Agent marketplace',
    );
    expect(tabTitle({ title: 'agt_x_v1', about: 'agt_x_v1' })).toBe('agt_x_v1 · Agent marketplace');
  });
});

describe('a page', () => {
  const fresh = { isShown: true, dataAt: 2_000, failedAt: 1_000, isUnreachable: true };

  it('is stale since its oldest data that could not be read again', () => {
    expect(staleSince([fresh])).toBeUndefined();
    expect(staleSince([fresh, { ...fresh, dataAt: 500 }, { ...fresh, dataAt: 400 }])).toBe(400);
    expect(staleSince([{ ...fresh, dataAt: 0 }])).toBe(0);
  });

  it('is not stale by what it does not show, or by a refusal', () => {
    expect(staleSince([{ ...fresh, dataAt: 500, isShown: false }])).toBeUndefined();
    expect(staleSince([{ ...fresh, dataAt: 500, isUnreachable: false }])).toBeUndefined();
  });
});

describe('the field for everything', () => {
  it('finds pages by each word of their name', () => {
    const pages = [
      { to: '/calls', label: 'Calls' },
      { to: '/operator/audit', label: 'Audit log' },
    ];
    expect(pagesNamed('log AUD', pages)).toEqual([
      { to: '/operator/audit', label: 'Audit log', kind: 'Page' },
    ]);
    const alike = ['Find agents', 'Agents'].map((label) => ({ to: `/${label}`, label }));
    expect(pagesNamed('agents', alike).map(({ label }) => label)).toEqual(['Agents', 'Find agents']);
    expect(pagesNamed('', pages)).toHaveLength(2);
    expect(pagesNamed('x', pages)).toEqual([]);
  });

  it('opens the page of an id that the person may see', () => {
    const to = (id: string, role?: string) => pageOfId(id, role)?.to;
    expect(to(` inv_${HEX} `, 'buyer')).toBe(`/calls/inv_${HEX}`);
    expect(to(`inv_${HEX}`, 'operator')).toBe(`/operator/calls/inv_${HEX}`);
    expect(to(`usr_${HEX}`, 'buyer')).toBeUndefined();
    expect(to(`usr_${HEX}`, 'operator')).toBe(`/operator/accounts/usr_${HEX}`);
    expect(to('agt_unit_converter_v1')).toBe('/agents/agt_unit_converter_v1');
    expect(to('agt_x_v1', 'developer')).toBe('/agents/agt_x_v1');
    expect(to('agt_x_v1', 'operator')).toBe('/operator/agents/agt_x_v1');
    expect(to(`dsp_${HEX}`, 'operator')).toBe(`/operator/disputes/dsp_${HEX}`);
    expect(to(`slh_${HEX}`, 'operator')).toBe(`/operator/slashes/slh_${HEX}`);
    expect(to(`slh_${HEX}`, 'developer')).toBe(`/developer/slashes/slh_${HEX}`);
    expect(to(`slh_${HEX}`, 'buyer')).toBeUndefined();
    for (const text of ['inv_1', 'agt_', 'calls', 'USD/INR', ''])
      expect(to(text, 'operator')).toBeUndefined();
  });

  it('finds calls by a part of their id, and the newest by the name of their agent', () => {
    const call = (end: string) => ({
      id: `inv_0190b5c2f1e07c0e8a1b2c3d4e5${end}`,
      about: 'Unit converter',
      to: `/calls/${end}`,
      kind: 'Call',
    });
    const all = ['aaaa1', 'bbbb2', 'cccc3', 'dddd4'].map(call);
    expect(belongingsNamed('bBB', all)).toEqual([
      { to: '/calls/bbbb2', label: 'Unit converter · …5bbbb2', kind: 'Call' },
    ]);
    expect(belongingsNamed('converter', all).map(({ to }) => to)).toEqual([
      '/calls/aaaa1',
      '/calls/bbbb2',
      '/calls/cccc3',
    ]);
    expect(belongingsNamed('bb', all)).toEqual([]);
  });

  it('finds invoices by a part of their number', () => {
    const invoices = [{ number: 'SBX-2026-000004', invoice_id: 'ivc_1' }];
    expect(invoicesNamed('sbx-2026', invoices)).toEqual([
      { to: '/wallet', label: 'SBX-2026-000004', kind: 'Invoice' },
    ]);
    expect(invoicesNamed('S', invoices)).toEqual([]);
  });
});
