/**
 * The drawing of QR codes (ISO/IEC 18004): error correction level L, versions 1 to 20, mask 0. A screen is read without
 * damage, so the lowest level is enough. `qr-data.ts` makes the codewords.
 */

/** Level L and mask 0 in the bits of the format. */
const FORMAT = 0b01_000;

type Grid = (boolean | undefined)[][];

/** The modules of a code, dark ones true, by row. */
export function qrModules({ version, codewords }: { version: number; codewords: number[] }): boolean[][] {
  const grid: Grid = Array.from({ length: 17 + 4 * version }, () => []);
  drawPatterns(grid, version);
  drawBits(grid, codewords);
  return grid.map((row) => row.map((dark) => dark === true));
}

function drawPatterns(grid: Grid, version: number): void {
  const size = grid.length;
  const set = (x: number, y: number, dark: boolean) => {
    const row = grid[y];
    if (row && x >= 0 && x < size) row[x] = dark;
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const places = alignments(version, size);
  const last = places.length - 1;
  places.forEach((x, i) =>
    places.forEach((y, j) => {
      const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isFinder) square(set, { x, y, radius: 2, light: [1] });
    }),
  );
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    // prettier-ignore
    square(set, { x, y, radius: 4, light: [2, 4] });
  drawFormat(set, size);
  if (version >= 7) drawVersion(set, size, version);
}

type Set = (x: number, y: number, dark: boolean) => void;

/** Rings around a centre; those of the given distances are light. */
function square(
  set: Set,
  { x, y, radius, light }: { x: number; y: number; radius: number; light: number[] },
): void {
  for (let dy = -radius; dy <= radius; dy += 1)
    for (let dx = -radius; dx <= radius; dx += 1)
      set(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
}

function alignments(version: number, size: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  const places = Array.from({ length: count - 1 }, (_none, index) => size - 7 - index * step);
  return [6, ...places.reverse()];
}

function drawFormat(set: Set, size: number): void {
  let rest = FORMAT;
  for (let count = 0; count < 10; count += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((FORMAT << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >> at) & 1) === 1;
  for (let at = 0; at <= 5; at += 1) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at += 1) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
}

function drawVersion(set: Set, size: number, version: number): void {
  let rest = version;
  for (let count = 0; count < 12; count += 1) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at += 1) {
    const dark = ((bits >> at) & 1) === 1;
    const [long, short] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(long, short, dark);
    set(short, long, dark);
  }
}

/** Writes the codewords in the zigzag of the standard, with mask 0. */
function drawBits(grid: Grid, bytes: readonly number[]): void {
  const size = grid.length;
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const isUpward = ((right + 1) & 2) === 0;
        const y = isUpward ? size - 1 - step : step;
        const row = grid[y];
        if (!row || row[x] !== undefined) continue;
        const bit = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
        row[x] = (bit === 1) !== ((x + y) % 2 === 0);
        at += 1;
      }
    }
  }
}
