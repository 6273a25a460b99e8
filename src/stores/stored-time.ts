/**
 * Times of the database have microseconds, those of JavaScript milliseconds. So a time that is read keeps its text, and
 * goes back into a statement with it: a position, a window or a comparison with a stored time never loses the rest of a
 * millisecond. Arithmetic with stored times belongs in SQL; a lint rule refuses it in the stores.
 */
// eslint-disable-next-line no-restricted-syntax -- ExactClient is here
import { Client, type ClientConfig, types } from 'pg';

const { TIMESTAMPTZ } = types.builtins;
const parseTime = types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => Date | number;

/** A time that was read from the database. Everything but statements sees a `Date` of its millisecond. */
export class StoredTime extends Date {
  /** The time as Postgres wrote it, to the microsecond and with its offset. */
  readonly stored: string;

  constructor(time: Date, stored: string) {
    super(time);
    this.stored = stored;
  }
}

function readTime(text: string): Date | number {
  const time = parseTime(text);
  return typeof time === 'number' ? time : new StoredTime(time, text);
}

/** The parsers of results for `Client` and `Pool`: those of pg, and `StoredTime` for times. */
export const resultTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === (TIMESTAMPTZ as number) && format !== 'binary'
      ? readTime
      : (types.getTypeParser as (...of: unknown[]) => unknown)(oid, format)) as typeof types.getTypeParser,
};

/**
 * A client whose parameters keep the microseconds of stored times. Use it with `resultTypes`. When Postgres ends its
 * connection between two statements, the next statement fails: an error event without a listener would end the
 * process, and a pool listens only while a connection is idle.
 */
export class ExactClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }

  override query(...args: unknown[]): never {
    const query = super.query.bind(this) as (...all: unknown[]) => never;
    const [first, second, ...rest] = args;
    if (isQuery(first)) return query({ ...first, values: first.values.map(exact) }, second, ...rest);
    return query(first, Array.isArray(second) ? second.map(exact) : second, ...rest);
  }
}

/** True for a query with values that is not an object of pg with a life of its own, such as a cursor. */
function isQuery(value: unknown): value is { values: unknown[] } {
  if (typeof value !== 'object' || value === null || 'submit' in value) return false;
  return 'values' in value && Array.isArray(value.values);
}

function exact(value: unknown): unknown {
  if (value instanceof StoredTime) return value.stored;
  return Array.isArray(value) ? value.map(exact) : value;
}
