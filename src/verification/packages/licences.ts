import type { LicenceVerdict } from '../../domain/evidence/evidence-facts';
import { licenceChoices } from '../../kit/packages/licence-expression';
import { LIBRARY, NETWORK, PERMISSIVE, RESTRICTED } from '../data/licence-table';
import { matrixWord } from './licence-matrix';

const WORST_FIRST: readonly LicenceVerdict[] = ['incompatible', 'review', 'compatible'];
/** What the matrix says of a part under it is what it says of everything that asks for its notice only. */
const MODEL_PERMISSIVE = 'MIT';
const STRONG_COPYLEFT = /^GPL-/;

/**
 * Whether an agent under `own` (null: it names none, as what is kept closed does) may be built on a package under
 * `licence`; both are SPDX expressions. Of `A OR B` the better counts, of `A AND B` the worse. What neither the matrix
 * of OSADL nor the own table knows is for a person to look at.
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

/** `offer`: the licences of the agent that bind together; none when it is kept closed. */
function judge(offer: readonly string[], id: string): LicenceVerdict {
  const licence = currentId(id);
  if (RESTRICTED.has(licence)) return 'incompatible';
  if (offer.length === 0) return judgeClosed(licence);
  return worst(offer.map((own) => judgePair(currentId(own), licence)));
}

function judgePair(own: string, licence: string): LicenceVerdict {
  if (own === licence) return 'compatible';
  // A permissive licence that the matrix does not name goes where MIT goes.
  const [whole, part] = [own, licence].map((id) => (PERMISSIVE.has(id) ? MODEL_PERMISSIVE : id));
  const word = matrixWord(whole ?? own, part ?? licence);
  if (word === 'Yes' || word === 'Same') return 'compatible';
  if (LIBRARY.has(licence) && !isCopyleft(own)) return 'compatible';
  if (word === 'No') return 'incompatible';
  if (word !== undefined) return 'review';
  return NETWORK.has(licence) ? 'incompatible' : judgeClosed(licence);
}

/** Who offers an agent as a service hands no copy on. */
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

/** Ids that SPDX calls deprecated, as they are written today: `GPL-2.0+` is `GPL-2.0-or-later`. */
function currentId(id: string): string {
  const gnu = /^((?:A|L)?GPL-[0-9.]+)(\+?)$/.exec(id);
  if (gnu) return `${gnu[1]}-${gnu[2] ? 'or-later' : 'only'}`;
  return id.replace(/\+$/, '');
}
