import { cvssBaseScore } from './cvss';

// The examples that FIRST publishes with each version, and the base scores that it gives them.
it.each([
  ['2, CVE-2002-0392', 'AV:N/AC:L/Au:N/C:N/I:N/A:C', 7.8],
  ['2, CVE-2003-0818', 'AV:N/AC:L/Au:N/C:C/I:C/A:C', 10],
  ['2, CVE-2003-0062', 'AV:L/AC:H/Au:N/C:C/I:C/A:C', 6.2],
  ['3.0, CVE-2013-1937', 'CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 6.1],
  ['3.0, CVE-2014-6271', 'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
  ['3.1, CVE-2013-0375', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
  ['3.1, CVE-2014-3566', 'CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
  ['3.1, CVE-2012-1516', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 9.9],
  ['3.1, CVE-2009-0783', 'CVSS:3.1/AV:L/AC:L/PR:H/UI:N/S:U/C:L/I:L/A:L', 4.2],
  ['3.1, CVE-2014-0160', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', 7.5],
  ['3.1, CVE-2008-1447', 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:C/C:N/I:H/A:N', 6.8],
  ['4.0, CVE-2022-41741', 'CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
  ['4.0, CVE-2020-3549', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.7],
  ['4.0, CVE-2023-3089', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N/SA:N', 8.3],
  ['4.0, CVE-2021-44714', 'CVSS:4.0/AV:L/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:N/SC:N/SI:N/SA:N', 4.6],
  ['4.0, CVE-2022-24682', 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:A/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N', 5.1],
  ['4.0, CVE-2014-0160', 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N', 8.7],
  ['4.0, CVE-2021-44228', 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H', 10],
])('gives the published score of CVSS %s', (_what, vector, score) =>
  expect(cvssBaseScore(vector)).toBe(score),
);

it.each([
  ['temporal metrics of CVSS 2', 'AV:N/AC:L/Au:N/C:N/I:N/A:C/E:F/RL:OF/RC:C', 7.8],
  ['temporal metrics of CVSS 3', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U/RL:O', 9.8],
  ['threat metrics of CVSS 4', 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U', 7.7],
  ['supplemental metrics of CVSS 4', 'CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/U:Clear', 7.3],
  ['a changed scope', 'CVSS:3.1/AV:N/AC:L/PR:L/UI:R/S:C/C:L/I:L/A:N', 5.4],
  ['no impact', 'CVSS:3.0/AV:L/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N', 0],
])('scores the base metrics alone, with %s', (_what, vector, score) => expect(cvssBaseScore(vector)).toBe(score)); // prettier-ignore

it.each([
  ['an empty text', ''],
  ['prose', 'nonsense'],
  ['another version', 'CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'],
  ['a version alone', 'CVSS:3.1/'],
  ['missing base metrics', 'CVSS:4.0/AV:N'],
  ['an undefined base metric', 'CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'],
  ['an unknown metric', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/ZZ:N'],
  ['a metric of another version', 'CVSS:3.1/AV:N/AC:L/Au:N/PR:N/UI:N/S:U/C:H/I:H/A:H'],
  ['an unknown value', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:Q'],
  ['a repeated metric', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/A:N'],
  ['a name of the language', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/__proto__:x'],
  ['a very long text', `CVSS:3.1/${'AV:N/'.repeat(100_000)}`],
])('gives no score for %s', (_what, vector) => expect(cvssBaseScore(vector)).toBeUndefined());
