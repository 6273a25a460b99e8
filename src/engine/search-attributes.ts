import type { Connection } from '@temporalio/client';

/** temporal.api.enums.v1.IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD */
const KEYWORD = 2;
const ATTRIBUTES = ['AgentId', 'BuyerId', 'Outcome'] as const;

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
    searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
  });
}

export async function missingSearchAttributes(
  connection: OperatorConnection,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return ATTRIBUTES.filter((name) => !customAttributes || !(name in customAttributes));
}
