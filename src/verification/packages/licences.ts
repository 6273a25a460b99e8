import type { LicenceVerdict } from '../../domain/evidence/evidence-facts';
import { licenceChoices } from '../../kit/packages/licence-expression';
import { LIBRARY, LINKING_EXCEPTIONS, NETWORK, PERMISSIVE, RESTRICTED } from '../data/licence-table';
import { matrixWord } from './licence-matrix';

const WORST_FIRST: readonly LicenceVerdict[] = ['incompatible', 'review', 'compatible'];
/** Licences that require only their notice are treated like this one in the matrix. */
const MODEL_PERMISSIVE = 'MIT';
const STRONG_COPYLEFT = /^GPL-/;

/**
 * Decides whether an agent under the licence `own` (null: none declared, as for closed source) may use a package
 * under `licence`; both are SPDX expressions. For `A OR B` the better verdict counts, for `A AND B` the worse.
 * Licences that neither OSADL's matrix nor our own table covers get `review`.
 */
export function judgeLicence(own: string | null, licence: string): LicenceVerdict {
  const choices = licenceChoices(licence);
  if (!choices) return 'review';
  const offers = (own === null ? undefined : licenceChoices(own)) ?? [[]];
  return best(
    offers.flatMap((offer) => choices.map((together) => worst(together.map((id) => judge(offer, id))))),
  );
}

function worst(verdicts: readonly LicenceVerdict[]): LicenceVerdict {
  return WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'review';
}

function best(verdicts: readonly LicenceVerdict[]): LicenceVerdict {
  return WORST_FIRST.findLast((verdict) => verdicts.includes(verdict)) ?? 'review';
}

/**
 * An exception adds permissions to its licence (SPDX, "WITH"). One that permits linking takes from copyleft what
 * conflicts with another licence; what others permit is for a person to read.
 */
function judge(offer: readonly string[], id: string): LicenceVerdict {
  const [licence = '', exception] = id.split(' WITH ');
  const verdict = judgePlain(offer, licence);
  if (exception === undefined || verdict === 'compatible' || RESTRICTED.has(currentId(licence)))
    return verdict;
  return LINKING_EXCEPTIONS.has(exception) ? 'compatible' : 'review';
}

/** `offer`: the agent's licences that apply together; empty for closed source. */
function judgePlain(offer: readonly string[], id: string): LicenceVerdict {
  const licence = currentId(id);
  if (RESTRICTED.has(licence)) return 'incompatible';
  if (offer.length === 0) return judgeClosed(licence);
  return worst(offer.map((own) => judgePair(currentId(own), licence)));
}

function judgePair(own: string, licence: string): LicenceVerdict {
  if (own === licence) return 'compatible';
  // A permissive licence that the matrix does not cover is treated like MIT.
  const [whole, part] = [own, licence].map((id) => (PERMISSIVE.has(id) ? MODEL_PERMISSIVE : id));
  const word = matrixWord(whole ?? own, part ?? licence);
  if (word === 'Yes' || word === 'Same') return 'compatible';
  if (LIBRARY.has(licence) && !isCopyleft(own)) return 'compatible';
  if (word === 'No') return 'incompatible';
  if (word !== undefined) return 'review';
  return NETWORK.has(licence) ? 'incompatible' : judgeClosed(licence);
}

/** Verdict for a closed-source agent. Offering it as a service does not distribute copies. */
function judgeClosed(licence: string): LicenceVerdict {
  if (isPermissive(licence) || LIBRARY.has(licence)) return 'compatible';
  return NETWORK.has(licence) ? 'incompatible' : 'review';
}

function isPermissive(licence: string): boolean {
  const word = matrixWord(MODEL_PERMISSIVE, licence);
  return PERMISSIVE.has(licence) || word === 'Yes' || word === 'Same';
}

function isCopyleft(licence: string): boolean {
  return STRONG_COPYLEFT.test(licence) || NETWORK.has(licence);
}

/** Converts deprecated SPDX ids to current ones: `GPL-2.0+` becomes `GPL-2.0-or-later`. */
function currentId(given: string): string {
  const [id = ''] = given.split(' WITH ');
  const gnu = /^((?:A|L)?GPL-[0-9.]+)(\+?)$/.exec(id);
  if (gnu) return `${gnu[1]}-${gnu[2] ? 'or-later' : 'only'}`;
  return id.replace(/\+$/, '');
}
