import { advisoryLines } from './announce';

it('says until when advisories reach, or that there are none and how to import a file', () => {
  expect(advisoryLines([{ ecosystem: 'npm', date: '2026-11-20' }])).toEqual([
    '    advisories    npm until 2026-11-20',
  ]);
  const none = advisoryLines([]).join('\n');
  expect(none).toContain('reports say so (no_advisories)');
  expect(none).toContain('ADVISORY_SOURCE=osv');
  expect(none).toContain('market advisories import --complete npm/all.zip');
});
