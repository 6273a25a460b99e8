import { creditsText } from '../../domain/ledger/money';
import { timeInWords } from '../../domain/prices/price-words';
import type { PriceTerms } from '../../domain/catalogue/pricing';
import type { ServingVersion } from '../../services/catalogue/serving-version-cache';

/** What a call costs, in words for a model: `5 credits`, and what it costs from when on if that was announced. */
export function costText({ terms, former }: ServingVersion): string {
  if (!former || Date.now() >= former.until.getTime()) return mostText(terms);
  return `${mostText(former.terms)} (from ${timeInWords(former.until)} on ${mostText(terms)})`;
}

function mostText({ model, maxCredits }: PriceTerms): string {
  const most = creditsText(maxCredits);
  return model === 'per_call' ? most : `at most ${most}`;
}
