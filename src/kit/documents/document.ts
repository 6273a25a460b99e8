/** A document as its parts, before it is set on pages: an invoice, a statement. Every text may be in any script. */
export interface PrintedDocument {
  title: string;
  /** Shown at the top, opposite the title: who made the document. */
  issuer?: readonly string[];
  /** When the facts of the document were true; equal documents of one time are equal bytes. */
  at: Date;
  parts: readonly DocumentPart[];
}

export type DocumentPart =
  /** Names and their values, below each other. */
  | { kind: 'facts'; rows: readonly (readonly [name: string, value: string])[] }
  /** Lines below a small title, such as an address. */
  | { kind: 'lines'; title: string; lines: readonly string[] }
  | DocumentTable
  /** A paragraph. */
  | { kind: 'text'; text: string; strong?: boolean };

export interface DocumentTable {
  kind: 'table';
  columns: readonly DocumentColumn[];
  rows: readonly (readonly string[])[];
  /** The last row, which stands out. */
  total?: readonly string[];
}

export interface DocumentColumn {
  title: string;
  /** Its part of the width; the parts of all columns are added up. */
  share: number;
  /** Amounts stand at the right. */
  right?: boolean;
}
