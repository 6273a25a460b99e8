import type { Badge } from './trust';

const COLOURS: Record<Badge | 'none', string> = {
  basic: '#5c6b7a',
  standard: '#1f6feb',
  premium: '#8a5a00',
  none: '#767676',
};
const LABEL = 'agent trust';
const CHARACTER_WIDTH = 7;
const PADDING = 10;

/**
 * Renders the badge as an SVG image of fixed height, with what was examined. It contains no text that a developer
 * wrote.
 */
export function badgeSvg(badge: Badge | null, score: number | null, examined: string | null = null): string {
  const words = badge === null ? 'no badge' : score === null ? badge : `${badge} · ${score}`;
  const value = examined === null ? words : `${words} · ${examined}`;
  const left = LABEL.length * CHARACTER_WIDTH + PADDING;
  const right = value.length * CHARACTER_WIDTH + PADDING;
  const width = left + right;
  const text = (x: number, content: string) =>
    `<text x="${x}" y="14" fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${LABEL}: ${value}">`,
    `<title>${LABEL}: ${value}</title>`,
    `<rect width="${left}" height="20" fill="#333"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[badge ?? 'none']}"/>`,
    text(left / 2, LABEL),
    text(left + right / 2, value),
    '</svg>',
    '',
  ].join('\n');
}
