import { ACCOUNT_LISTS } from './exported-account';
import { BUYER_LISTS } from './exported-calls';
import { DEVELOPER_LISTS } from './exported-agents';
import { ORGANISATION_LISTS } from './exported-organisation';
import type { ExportedList } from './exported-list';

/** Everything that an export contains, in the order of its files. */
export const EXPORTED_LISTS: readonly ExportedList[] = [
  ...ACCOUNT_LISTS,
  ...ORGANISATION_LISTS,
  ...BUYER_LISTS,
  ...DEVELOPER_LISTS,
];
