import { getBalanceProof, getMarketLog } from '../../contract/market-log';
import type { LiabilityStatement } from '../../domain/ledger/market-log';
import type { BalanceProof, MarketLogReads } from '../../services/market-log/proofs';
import { listPage } from '../requests/list-page';
import type { RouteBinder } from '../binding/route';

export interface MarketLogRouteDeps {
  marketLog: MarketLogReads;
}

const DAY_POSITION = [/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/];

/** GET /.well-known/market-log and the proof of an owner's balances. */
export function marketLogRoutes(binder: RouteBinder, { marketLog }: MarketLogRouteDeps): void {
  binder.bind(getMarketLog, ({ query }) =>
    listPage(
      { list: ['market-log'], position: DAY_POSITION, query },
      ([beforeDay], limit) => marketLog.days({ beforeDay, limit }),
      { position: (row) => [row.day], view: dayView },
    ),
  );
  binder.bind(getBalanceProof, async ({ principal }) => proofView(await marketLog.proofOf(principal.userId)));
}

function dayView({ statement, statementSha256, seal, publishedAt }: BalanceProof['day']) {
  const { day, owed, service, ledger_sha256, previous_sha256 } = JSON.parse(statement) as LiabilityStatement;
  return {
    day,
    owed,
    service,
    ledger_sha256,
    previous_sha256,
    statement_sha256: statementSha256,
    seal,
    published_at: publishedAt.toISOString(),
  };
}

function proofView({ day, owner, balances }: BalanceProof) {
  return {
    day: day.day,
    owner,
    balances: balances.map(({ path, ...balance }) => ({
      ...balance,
      path: path.map(({ side, units, hash }) => ({ side, units, sha256: hash })),
    })),
    statement_sha256: day.statementSha256,
    seal: day.seal,
  };
}
