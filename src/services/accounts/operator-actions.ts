/** An operator's request over the API. Operator and reason go to the audit log in the transaction of the action. */
export interface OperatorRequest {
  operatorUserId: string;
  reason: string;
  traceId: string | null;
}

/** An operator's command on the database, such as `market operator grant`, which has no account of its own. */
export interface OperatorCommand {
  /** Who runs it, such as `ada@host`. */
  runBy: string;
  reason: string;
}

/** The columns of the audit log entry for a command. */
export const asAction = (command: OperatorCommand) => ({ operatorUserId: null, traceId: null, ...command });
