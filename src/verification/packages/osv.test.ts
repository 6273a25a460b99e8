import { judgeLicence } from './licences';
import { fixedIn, isAffected, readOsvRecord } from './osv';

const record = (affected: object, more: object = {}) => ({
  id: 'GHSA-test-0000-0001',
  modified: '2025-01-01T00:00:00Z',
  summary: 'A test\nrecord',
  affected: [affected],
  ...more,
});

const npm = (events: object[], more: object = {}) =>
  readOsvRecord(
    record({ package: { ecosystem: 'npm', name: 'left' }, ranges: [{ type: 'SEMVER', events }], ...more }),
  )?.advisories[0]?.affected ?? { versions: [], ranges: [] };

describe('a record of npm', () => {
  const two = npm([
    { introduced: '0' },
    { fixed: '1.2.3' },
    { introduced: '2.0.0-beta.1' },
    { last_affected: '2.1.0' },
  ]);

  it.each([
    ['0.0.1', true],
    ['1.2.2', true],
    ['1.2.3-rc.1', true],
    ['1.2.3', false],
    ['1.10.0', false],
    ['2.0.0-alpha', false],
    ['2.0.0', true],
    ['2.1.0', true],
    ['2.1.1', false],
    ['not-a-version', false],
  ])('affects %s: %s', (version, affected) => {
    expect(isAffected('npm', version, two)).toBe(affected);
  });

  it('reports the lowest version that fixes it', () => {
    expect(fixedIn('npm', '1.0.0', two)).toBe('1.2.3');
    expect(fixedIn('npm', '1.0.0', npm([{ introduced: '0' }]))).toBeNull();
  });

  it('names single versions too', () => {
    const named = npm([], { versions: ['3.0.0'] });
    expect([isAffected('npm', '3.0.0', named), isAffected('npm', '3.0.1', named)]).toEqual([true, false]);
  });
});

it.each([
  ['npm', '2.0', { introduced: '2' }, { fixed: '2.1' }, true],
  ['npm', '2.1.0', { introduced: '2' }, { fixed: '2.1' }, false],
  ['npm', '1.9.9', { introduced: '2.0' }, { last_affected: '3' }, false],
  ['npm', '3.0.0', { introduced: '2.0' }, { last_affected: '3' }, true],
] as const)('reads short versions of ranges: %s %s', (ecosystem, version, from, to, affected) => {
  const ranges = npm([from, to]);
  expect(isAffected(ecosystem, version, ranges)).toBe(affected);
});

it('treats a local version of Python as a build of its public version', () => {
  const listed = { versions: ['2.1.0'], ranges: [] };
  expect(isAffected('PyPI', '2.1.0+cu118', listed)).toBe(true);
  expect(isAffected('PyPI', '2.1.1+cu118', listed)).toBe(false);
});

it('orders versions of Python by PEP 440, and treats spellings of one name as equal', () => {
  const read = readOsvRecord(
    record({
      package: { ecosystem: 'PyPI', name: 'Some_Package' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { fixed: '1.10' }] }],
    }),
  );
  const [advisory] = read?.advisories ?? [];
  expect(advisory).toMatchObject({ name: 'some-package', summary: 'A test record', severity: 'medium' });
  const affected = advisory?.affected ?? { versions: [], ranges: [] };
  expect(
    ['0.9', '1.0', '1.9', '1.10rc1', '1.10'].map((version) => isAffected('PyPI', version, affected)),
  ).toEqual([false, true, true, true, false]);
});

it('rates by the record, else by its vector, and malicious packages as critical', () => {
  const severity = (more: object) =>
    readOsvRecord(record({ package: { ecosystem: 'npm', name: 'left' } }, more))?.advisories[0]?.severity;
  expect(severity({ database_specific: { severity: 'MODERATE' } })).toBe('medium');
  expect(
    severity({ severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }] }),
  ).toBe('critical');
  const cvss4 = (metrics: string) =>
    severity({ severity: [{ type: 'CVSS_V4', score: `CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/${metrics}` }] });
  expect(cvss4('VC:H/VI:H/VA:H/SC:N/SI:N/SA:N')).toBe('high');
  expect(cvss4('VC:L/VI:N/VA:N/SC:N/SI:N/SA:N')).toBe('low');
  expect(cvss4('VC:H')).toBe('medium');
  expect(severity({ severity: [{ type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:N/I:N/A:C' }] })).toBe('high');
  expect(severity({ id: 'MAL-2025-1' })).toBe('critical');
});

it('ignores invalid records, and other ecosystems', () => {
  expect(readOsvRecord({ id: 'x' })).toBeUndefined();
  expect(readOsvRecord([1])).toBeUndefined();
  expect(readOsvRecord(record({ package: { ecosystem: 'Go', name: 'left' } }))?.advisories).toEqual([]);
});

it.each([
  ['MIT', 'ISC', 'compatible'],
  ['MIT', '(GPL-3.0-only OR MIT)', 'compatible'],
  ['MIT', 'GPL-3.0-only AND MIT', 'incompatible'],
  ['GPL-2.0-only', 'Apache-2.0', 'incompatible'],
  ['GPL-3.0-or-later', 'Apache-2.0', 'compatible'],
  [null, 'GPL-3.0-only', 'review'],
  [null, 'AGPL-3.0-only', 'incompatible'],
  ['MIT', 'CC-BY-NC-4.0', 'incompatible'],
  ['MIT', 'SEE LICENSE IN x', 'review'],
] as const)('judges for an agent under %s a package under %s: %s', (own, licence, verdict) => {
  expect(judgeLicence(own, licence)).toBe(verdict);
});

it.each([
  [{}, false],
  [{ withdrawn: null }, false],
  [{ withdrawn: '' }, false],
  [{ withdrawn: '2025-03-01T00:00:00Z' }, true],
])('a record with %j is withdrawn: %s', (more, withdrawn) => {
  const affected = { package: { ecosystem: 'npm', name: 'left' }, versions: ['1.0.0'] };
  expect(readOsvRecord(record(affected, more))).toMatchObject({ withdrawn, advisories: [{ name: 'left' }] });
});
