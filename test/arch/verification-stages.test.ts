/**
 * docs/verification-scores.md and the contract have the maximum of each stage from src/domain/verification/trust.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrustReport } from '../../src/contract/trust';
import { STAGE_MAX, STAGES } from '../../src/domain/verification/trust';

const page = readFileSync(join(__dirname, '../../docs/verification-scores.md'), 'utf8');

it('has 100 points in all', () => {
  expect(STAGES.reduce((sum, stage) => sum + STAGE_MAX[stage], 0)).toBe(100);
});

it.each(STAGES)('has the maximum of %s on the page and in the contract', (stage) => {
  const row = page.split('\n').find((line) => line.startsWith(`| \`${stage}\``)) ?? '';
  expect(Number(row.split('|')[2])).toBe(STAGE_MAX[stage]);
  const { score, max } = TrustReport.properties.stages.properties[stage].properties;
  expect([score.maximum, max.const]).toEqual([STAGE_MAX[stage], STAGE_MAX[stage]]);
});
