/** Points for people: at most one decimal, such as 20.7. */
export const roundedPoints = (points: number): string => String(Math.round(points * 10) / 10);

/** Points with their word: `1 point`, `20.7 points`. */
export function pointsText(points: number): string {
  const shown = roundedPoints(points);
  return `${shown} ${shown === '1' ? 'point' : 'points'}`;
}
