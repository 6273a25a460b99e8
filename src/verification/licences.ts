import type { LicenceVerdict } from '../domain/evidence-facts';
import { licenceChoices } from '../kit/licence-expression';
import { LICENCE_GROUPS, type LicenceGroup, NOT_WITH_GPL2 } from './data/licence-table';

const GROUP_OF = new Map(
  Object.entries(LICENCE_GROUPS).flatMap(([group, ids]) =>
    ids.map((id) => [id, group as LicenceGroup] as const),
  ),
);
const WORST_FIRST: readonly LicenceVerdict[] = ['incompatible', 'review', 'compatible'];
const COPYLEFT: ReadonlySet<LicenceGroup | undefined> = new Set(['gpl2', 'gpl2plus', 'gpl3', 'network']);

/**
 * Whether an agent under `own` (null: it names none, as what is kept closed does) may be built on a package under
 * `licence`; both are SPDX expressions. Of `A OR B` the better counts, of `A AND B` the worse. What the table does
 * not know is for a person to look at.
 */
export function judgeLicence(own: string | null, licence: string): LicenceVerdict {
  const choices = licenceChoices(licence);
  if (!choices) return 'review';
  const ownIds = own === null ? [] : (licenceChoices(own)?.flat() ?? []);
  const verdicts = choices.map((together) => worst(together.map((id) => judge(ownIds, id))));
  return WORST_FIRST.findLast((verdict) => verdicts.includes(verdict)) ?? 'review';
}

function worst(verdicts: readonly LicenceVerdict[]): LicenceVerdict {
  return WORST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? 'review';
}

function judge(ownIds: readonly string[], id: string): LicenceVerdict {
  const group = GROUP_OF.get(id);
  if (group === undefined) return 'review';
  if (group === 'restricted') return 'incompatible';
  const ownGroups = new Set(ownIds.map((own) => GROUP_OF.get(own)));
  if (ownGroups.has('gpl2') && (NOT_WITH_GPL2.has(id) || group === 'gpl3')) return 'incompatible';
  if (group === 'permissive' || group === 'weak') return 'compatible';
  if (group === 'network') return ownGroups.has('network') ? 'compatible' : 'incompatible';
  if (group === 'gpl2' && (ownGroups.has('gpl3') || ownGroups.has('network'))) return 'incompatible';
  if ([...ownGroups].some((one) => COPYLEFT.has(one))) return 'compatible';
  // Who offers an agent as a service hands no copy on; who licenses it openly in another way does.
  return ownIds.length === 0 ? 'review' : 'incompatible';
}
