import { isolated } from '../../ui/isolated';

/** Where a deletion of an account stands, in words. */
const TEXTS: Readonly<Record<string, string>> = {
  requested: 'Nothing is deleted without the confirmation.',
  confirmable: 'A mail asks for the confirmation. Without it, the deletion lapses after 14 days.',
  confirmed: 'It begins when nothing blocks it.',
  erasing: 'The account is being erased.',
};

/** True while a deletion can still happen. */
export const isUnderWay = (status: string): boolean => status in TEXTS;

export const deletionText = ({ status }: { status: string }): string => TEXTS[status] ?? '';

/** What is deleted: the account of the person, or an organisation. */
export const titleOf = (organisation: string | undefined): string =>
  organisation === undefined ? 'Delete your account' : `Delete ${isolated(organisation)}`;
