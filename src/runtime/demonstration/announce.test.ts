import { advisoryLines, shopLine } from './announce';

it('prints in one line how to permit reads without an account, or that they are permitted', () => {
  expect(shopLine({})).toMatch(/^ +the shop is closed .*: PUBLIC_READS=true npm start$/);
  expect(shopLine({ PUBLIC_READS: 'false' })).toBe(shopLine({}));
  for (const yes of ['true', '1', 'yes', 'on'])
    expect(shopLine({ PUBLIC_READS: yes })).toContain('the shop is open');
});

it('prints the date of the newest advisories, or that there are none and how to import a file', () => {
  const npm = { ecosystem: 'npm', date: '2026-11-20', isSnapshot: false };
  expect(advisoryLines([npm])).toEqual(['    advisories    npm until 2026-11-20']);
  expect(advisoryLines([{ ...npm, isSnapshot: true }]).join('\n')).toMatch(
    /npm until 2026-11-20: a snapshot about packages of the demonstration agents\n +for agents of your own: ADVISORY_SOURCE=osv npm start/,
  );
  const none = advisoryLines([]).join('\n');
  expect(none).toContain('reports say so (no_advisories)');
  expect(none).toContain('ADVISORY_SOURCE=osv');
  expect(none).toContain('market advisories import --complete npm/all.zip');
});
