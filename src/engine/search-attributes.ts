import type { Connection } from '@temporalio/client';

/** Of temporal.api.enums.v1.IndexedValueType: INDEXED_VALUE_TYPE_KEYWORD and INDEXED_VALUE_TYPE_KEYWORD_LIST. */
const KEYWORD = 2;
const KEYWORD_LIST = 7;
const ATTRIBUTES = { AgentId: KEYWORD, BuyerId: KEYWORD, Outcome: KEYWORD, Members: KEYWORD_LIST } as const;
type AttributeName = keyof typeof ATTRIBUTES;

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
    searchAttributes: Object.fromEntries(missing.map((name) => [name, ATTRIBUTES[name]])),
  });
}

export async function missingSearchAttributes(
  connection: OperatorConnection,
  namespace: string,
): Promise<AttributeName[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const names = Object.keys(ATTRIBUTES) as AttributeName[];
  return names.filter((name) => !customAttributes || !(name in customAttributes));
}
