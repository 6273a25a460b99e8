/** Statements of an account by month, equal to the ledger (ADR 0370). */
import { closingUnits, isClosed, type Month, monthOf, type MonthSums } from '../../domain/billing/statement';
import { MarketError } from '../../domain/errors';
import { timeOfId } from '../../domain/instant';
import { createSharedReads } from '../../kit/concurrency/shared-reads';
import type { DocumentWriter } from '../../kit/documents/document-threads';
import { keepMonth, readKeptMonth, readMonthSums, readPapers } from '../../stores/billing/statements';
import { readBilledTo, readTaxSettings } from '../../stores/billing/tax-settings';
import type { Db } from '../../stores/db';
import { issuerLines } from './invoice-document';
import { type AccountStatement, accountStatement, accountStatementCsv } from './account-statement';

export interface StatementsDeps {
  pool: Db;
  documents: DocumentWriter;
  letterhead: readonly string[];
  now?: () => number;
}

const MOST_PAPERS = 1_000;

export function createStatements({ pool, documents, letterhead, now = Date.now }: StatementsDeps) {
  const reads = createSharedReads<MonthSums>();

  /**
   * A month of many calls takes long to sum, so an account that asks for it many times at once uses one connection of a
   * process.
   */
  const sumsOf = (userId: string, month: Month): Promise<MonthSums> =>
    reads.read(`${userId}/${month.month}`, () => readSums(userId, month));

  async function readSums(userId: string, month: Month): Promise<MonthSums> {
    if (!isClosed(month, now())) return readMonthSums(pool, userId, month);
    const kept = await readKeptMonth(pool, userId, month.month);
    if (kept) return kept;
    const sums = await readMonthSums(pool, userId, month);
    await keepMonth(pool, userId, month.month, sums);
    return sums;
  }

  /** Throws `not_found` for months before the account and for those to come. */
  async function statement(userId: string, name: string): Promise<AccountStatement> {
    const month = monthOf(name);
    const { fromMs, untilMs } = month;
    if (untilMs <= timeOfId(userId) || fromMs > now())
      throw new MarketError('not_found', { message: 'The account has no statement of this month.' });
    const [sums, papers] = await Promise.all([
      sumsOf(userId, month),
      readPapers(pool, userId, { fromMs, untilMs, most: MOST_PAPERS + 1 }),
    ]);
    return {
      ...sums,
      month: name,
      from: new Date(fromMs),
      until: new Date(untilMs),
      isClosed: isClosed(month, now()),
      closingUnits: closingUnits(sums),
      papers: papers.slice(0, MOST_PAPERS),
      isCut: papers.length > MOST_PAPERS,
    };
  }

  return {
    statement,
    statementCsv: async (userId: string, month: string): Promise<string> =>
      accountStatementCsv(await statement(userId, month)),

    async statementPdf(userId: string, month: string): Promise<Buffer> {
      const [found, billedTo, settings] = await Promise.all([
        statement(userId, month),
        readBilledTo(pool, userId),
        readTaxSettings(pool),
      ]);
      const issuer = settings ? issuerLines(settings.issuer) : letterhead;
      return documents.pdf(userId, accountStatement(found, { userId, billedTo, issuer }));
    },
  };
}
