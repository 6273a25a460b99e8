/**
 * The attacks of `npm run bench:neighbours` on one market, briefly: none of them gives their neighbour a refusal or a
 * fault. The bench measures delays on a machine of its own; here, a delay only fails if it is far from the limits.
 */
import { breachesOf, lineOf, measureNeighbours } from '../../bench/neighbours/measure-neighbours';
import { useMarket } from '../support/use-market';

/** Other test files share the processor with the attackers, the market and the victim. */
const LIMITS = { p50: 30, p99: 30, p99Ms: 5_000 };

const market = useMarket({
  realHashes: true,
  env: {
    RATE_LIMIT_PER_ACCOUNT: '1200',
    RATE_LIMIT_INVOCATIONS: '600',
    LOGIN_FAILURES: '10',
    CONNECTIONS_PER_ADDRESS: '256',
    EVENT_STREAMS_PER_ACCOUNT: '10',
    REFUSALS_BEFORE_LINE: '20',
  },
});

it('refuses no request of one account while other accounts attack in all ways together', async () => {
  const plan = { quietMs: 500, attackMs: 0, allMs: 2_500 };
  const measured = await measureNeighbours(market, plan);
  expect(measured).toHaveLength(1);
  expect(measured.flatMap((row) => breachesOf(row, LIMITS))).toEqual([]);
}, 60_000);

it('refuses no request of one account while 1,000 members of one organisation call at once', async () => {
  const plan = { quietMs: 2_000, attackMs: 4_000, allMs: 0, attacks: ['a company'] };
  const [row] = await measureNeighbours(market, plan);
  if (!row) throw new Error('nothing was measured');
  process.stderr.write(`${lineOf(row)}\n`);
  // Each member begins at least one call, and the organisation has the limits of one account.
  expect(row.sent[0]?.attacks['a company']?.requests).toBeGreaterThanOrEqual(1_000);
  expect(breachesOf(row, LIMITS)).toEqual([]);
}, 180_000);
