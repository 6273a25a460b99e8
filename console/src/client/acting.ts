/**
 * The owner that each request of this page names (ADR 0403). A choice in another tab changes the session, so without
 * the name a page could spend the credits of another owner than the one it shows.
 */
let owner: string | undefined;

/** Sets the owner: an organisation, or the person. Undefined for a visitor, and until the profile is here. */
export function actAs(id: string | undefined): void {
  owner = id;
}

/** The header that names the owner. */
export const ownerHeader = (): Record<string, string> => (owner === undefined ? {} : { 'X-Owner': owner });
