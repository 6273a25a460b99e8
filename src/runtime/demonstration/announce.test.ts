import { advisoryLines, shopLine } from './announce';

it('prints in one line how to permit reads without an account, or that they are permitted', () => {
  expect(shopLine({})).toMatch(/^ +the shop is closed .*: PUBLIC_READS=true npm start$/);
  expect(shopLine({ PUBLIC_READS: 'false' })).toBe(shopLine({}));
  for (const yes of ['true', '1', 'yes', 'on'])
    expect(shopLine({ PUBLIC_READS: yes })).toContain('the shop is open');
});

it('prints the date of the newest advisories, or that there are none and how to import a file', () => {
  expect(advisoryLines([{ ecosystem: 'npm', date: '2026-11-20' }])).toEqual([
    '    advisories    npm until 2026-11-20',
  ]);
  const none = advisoryLines([]).join('\n');
  expect(none).toContain('reports say so (no_advisories)');
  expect(none).toContain('ADVISORY_SOURCE=osv');
  expect(none).toContain('market advisories import --complete npm/all.zip');
});
