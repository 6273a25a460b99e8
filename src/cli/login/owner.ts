/** For whom the verbs act: yourself, or an organisation of which you are a member (docs/organisations.md). */
import { OWNER_ID_PATTERN } from '../../domain/accounts/roles';
import { usageFailure } from '../failure';
import type { SavedOwner, SavedSession } from './session-file';

/** The word for yourself. */
export const PERSONAL = 'personal';
const OWNER_ID = new RegExp(OWNER_ID_PATTERN);

/**
 * The organisation of a command: `--owner`, else MARKET_OWNER, else the one that the login remembers; undefined for
 * yourself. Throws `CliFailure` (exit 2) for a word that names no owner.
 */
export function ownerOf(
  options: { owner?: string },
  saved: SavedSession | undefined,
): SavedOwner | undefined {
  const given = options.owner ?? (process.env['MARKET_OWNER'] || undefined);
  if (given === undefined) return saved?.owner;
  if (given === PERSONAL) return undefined;
  if (!OWNER_ID.test(given))
    throw usageFailure(`${given} is not an owner: write the id of an organisation, org_…, or ${PERSONAL}`);
  return saved?.owner?.id === given ? saved.owner : { id: given };
}

/** The name of an owner with its id, or the id alone. */
export const ownerText = ({ id, name }: SavedOwner): string => (name === undefined ? id : `${name} (${id})`);

/** Paths that act for the person, or for an operator, whichever owner a request names. A test compares the contract. */
const OF_PERSON = /^\/v1\/(?:auth\/(?!keeping)|notices\/mails|organisations|account\/delete\/confirm|operator\/)/;

/** Whether a request changes what belongs to the owner. */
export const isChangeOfOwner = (method: string, path: string): boolean =>
  method !== 'GET' && !OF_PERSON.test(path);
