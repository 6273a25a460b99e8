/** What the console works out for operators and for its frame, without a browser. */
import { doEach, groupAlike } from '../../console/src/features/operator/group-alike';
import { invoicesNamed, pageOfId, pagesNamed } from '../../console/src/features/shell/find-anything';
import { staleSince } from '../../console/src/features/shell/stale';
import { idIn, tabTitle } from '../../console/src/ui/tab-title';

const HEX = '0190b5c2f1e07c0e8a1b2c3d4e5f6a7b';

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
    for (const text of ['inv_1', 'agt_', 'calls', '']) expect(to(text, 'operator')).toBeUndefined();
  });

  it('finds invoices by a part of their number', () => {
    const invoices = [{ number: 'SBX-2026-000004', invoice_id: 'ivc_1' }];
    expect(invoicesNamed('sbx-2026', invoices)).toEqual([
      { to: '/wallet', label: 'SBX-2026-000004', kind: 'Invoice' },
    ]);
    expect(invoicesNamed('S', invoices)).toEqual([]);
  });
});
