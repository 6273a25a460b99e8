import { misfit, type NamedQuote, spentQuote } from '../../domain/prices/quote';
import type { Db } from '../../stores/db';
import { readQuote } from '../../stores/prices/quotes';

/** A call that names a quote. */
interface QuotedCall {
  callerUserId: string;
  agentId: string;
  inputSha256: string;
}

/**
 * The version of a quote. Throws `validation_failed` for the quote of another account, agent or input, and
 * `invalid_state` for one that has expired. The statement that accepts the call decides again.
 */
export async function quotedVersionId(db: Db, named: NamedQuote, call: QuotedCall): Promise<string> {
  const quote = await readQuote(db, named.id);
  if (quote?.userId !== call.callerUserId) throw misfit(named, 'unknown');
  if (quote.agentId !== call.agentId) throw misfit(named, 'agent');
  if (quote.inputSha256 !== call.inputSha256) throw misfit(named, 'input');
  if (quote.isOver) throw spentQuote('quote_over');
  return quote.versionId;
}
