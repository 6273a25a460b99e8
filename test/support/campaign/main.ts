/** `npm run campaign -- --minutes 5 --seed 7`: a campaign against the processes of the market (docs/reliability.md). */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    kills: { type: 'string', default: '0' },
    folder: { type: 'string' },
  },
});
const seed = Number(values.seed);
const folder = values.folder ?? join(resolve(__dirname, '../../..'), '.market-campaign', String(seed));
console.log(`seed ${seed}`);
runCampaign({
  seed,
  minutes: Number(values.minutes),
  leastKills: Number(values.kills),
  leastHits: 1,
  folder,
  log: console.log,
}).then(
  ({ timeline: _timeline, ...report }) => {
    console.log(JSON.stringify(report, null, 2));
    if (report.problems.length > 0) console.log(`what is left of it: ${folder}`);
    process.exit(report.problems.length > 0 ? 1 : 0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(2);
  },
);
