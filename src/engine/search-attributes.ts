import type { Connection } from '@temporalio/client';

/** Of temporal.api.enums.v1.IndexedValueType: INDEXED_VALUE_TYPE_KEYWORD and INDEXED_VALUE_TYPE_KEYWORD_LIST. */
const TYPES = { Keyword: 2, KeywordList: 7 } as const;
/** Type of each search attribute, as the Temporal command line names it. */
export const SEARCH_ATTRIBUTES = {
  AgentId: 'Keyword',
  BuyerId: 'Keyword',
  Outcome: 'Keyword',
  Members: 'KeywordList',
} as const;
type AttributeName = keyof typeof SEARCH_ATTRIBUTES;

type OperatorConnection = Pick<Connection, 'operatorService'>;

/** Registers the search attributes that operators filter by in Temporal's UI, unless they exist. */
export async function ensureSearchAttributes(
  connection: OperatorConnection,
  namespace: string,
): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map((name) => [name, TYPES[SEARCH_ATTRIBUTES[name]]])),
  });
}

export async function missingSearchAttributes(
  connection: OperatorConnection,
  namespace: string,
): Promise<AttributeName[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(SEARCH_ATTRIBUTES) as AttributeName[];
  return names.filter((name) => !customAttributes || !(name in customAttributes));
}
