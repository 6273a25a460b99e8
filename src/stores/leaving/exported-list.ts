/** What the rows of a list have sealed, which the export contains in the clear. */
export type SealedKind = 'kept_bodies' | 'webhook' | 'attachment';

export interface ExportedList {
  /** Name of its two files, without their ending. */
  name: string;
  /** One sentence for the README of the archive. */
  about: string;
  /** Reads the rows of the owner $1, in a lasting order. Its cost grows with the rows that it returns alone. */
  sql: string;
  sealed?: SealedKind;
  /** The rows are large and are read in small pages. */
  large?: true;
}

/** A column of units as credits with two decimals. */
export const credits = (units: string, name: string) => `(${units} / 100.0)::numeric(20, 2) AS ${name}`;
