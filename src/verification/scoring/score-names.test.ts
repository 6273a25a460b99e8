import { cleanEvidence } from '../../../test/support/verification/run-evidence';
import { STAGES } from '../../domain/verification/trust';
import { isStorable } from '../../domain/json-value';
import { FIRST_RUBRIC } from './first-rubric';
import { judge } from './score';

it.each([
  ['a NUL', 'GPL\u0000-3.0'],
  ['half a character', 'GPL \ud800'],
  ['a character that the longest name cuts in two', `${'L'.repeat(478)}💥`],
])(
  'names findings so that the database can store them, also for untrusted text with %s',
  (_what, licence) => {
    const evidence = cleanEvidence();
    const fact = {
      name: 'left',
      version: '1.0.0',
      licence,
      verdict: 'incompatible',
      isDirect: true,
    } as const;
    evidence.supplyChain.licences.found = { total: 1, items: [fact as never] };
    const { stages } = judge(evidence, FIRST_RUBRIC);
    const findings = STAGES.flatMap((stage) => stages[stage].findings);
    expect(findings).toHaveLength(1);
    for (const { fingerprint, description } of findings)
      for (const text of [fingerprint, description]) expect(isStorable(text)).toBe(true);
  },
);
