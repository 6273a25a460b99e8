/**
 * The short form of the campaign (`npm run campaign`): sixty kills and more of any process while buyers call on every
 * surface, beside stopped processes and broken networks. What was sold, said and delivered agrees afterwards.
 */
import { join } from 'node:path';
import { runCampaign } from '../support/campaign/campaign';

jest.setTimeout(600_000);

const SEED = Number(process.env['CAMPAIGN_SEED'] ?? 47);
const KILLS = 60;

it('loses no credit and breaks no promise, whatever is killed', async () => {
  const folder = join(__dirname, '../../.market-campaign', String(SEED));
  const report = await runCampaign({ seed: SEED, minutes: 2, leastKills: KILLS, leastHits: 1, folder });
  const { timeline: _timeline, ...figures } = report;
  if (process.env['CAMPAIGN_VERBOSE'] !== undefined) console.log(JSON.stringify(figures, null, 2));
  expect({ seed: SEED, folder, problems: report.problems }).toEqual({ seed: SEED, folder, problems: [] });
  expect(report.kills).toBeGreaterThanOrEqual(KILLS);
});
