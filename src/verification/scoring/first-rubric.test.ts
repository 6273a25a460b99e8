import { rubricProblems } from '../../domain/verification/rubric';
import { FIRST_RUBRIC } from './first-rubric';

describe('a rubric', () => {
  it('gives each stage its points, whatever its other rules are', () => {
    const document = structuredClone(FIRST_RUBRIC);
    document.checks.red_team.jailbreak = 6;
    document.deductions.high = 101;
    delete (document.texts as Partial<typeof document.texts>).slow;
    expect(rubricProblems({ ...document, version: '26.1', more: 1 })).toEqual([
      { loc: ['more'], msg: 'is not known' },
    ]);
    expect(rubricProblems({ ...document, version: '26.1' }).map(({ loc }) => loc.join('.'))).toEqual([
      'version',
      'checks.red_team',
      'deductions.high',
      'texts.slow',
      'texts.slow',
    ]);
  });
});
