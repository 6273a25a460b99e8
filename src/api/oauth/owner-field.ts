/** The choice of the owner on a page of consent: the account that a permission belongs to and that pays (ADR 0399). */
import type { OwnerChoice } from '../identity/owner';
import { type Html, markup } from './html';

export interface OwnerOptions {
  owners: readonly OwnerChoice[];
  /** The id of the owner that is chosen when the page opens; null for the person's own account. */
  chosen: string | null;
  email: string;
}

/** The field for the owner; nothing for a person who may decide for no organisation. */
export function ownerField({ owners, chosen, email }: OwnerOptions): Html | '' {
  if (owners.every(({ role }) => role === null)) return '';
  const options = owners.map(({ id, name, role }) => {
    const text = role === null ? `yourself, ${email}` : `${name}, where you are ${role}`;
    return id === chosen
      ? markup`<option value="${id}" selected>${text}</option>`
      : markup`<option value="${id}">${text}</option>`;
  });
  return markup`
<label for="owner">It acts for, and spends the credits of</label>
<select id="owner" name="owner" aria-describedby="owner_note">${options}</select>
<p id="owner_note" class="note">For an organisation it may do what your role there permits, and it ends when you leave the organisation.</p>`;
}

/** The owner that a form names; undefined if the person may not decide for it. A form without one is for the person. */
export const readOwner = (
  owners: readonly OwnerChoice[],
  form: Readonly<Record<string, string>>,
  userId: string,
): OwnerChoice | undefined => owners.find(({ id }) => id === (form['owner'] ?? userId));

/** What a page says after `readOwner` found none. */
export const NOT_YOUR_OWNER = 'You may not decide this for that account. Choose another one.';
