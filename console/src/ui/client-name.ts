/** Browsers, the more special ones first: most name others as well. */
const BROWSERS = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

type Names = readonly (readonly [name: string, pattern: RegExp])[];
const nameIn = (names: Names, agent: string) => names.find(([, pattern]) => pattern.test(agent))?.[0];

/** A client in a few words, such as `Firefox on Linux`; what is no known browser stays as it is. */
export function clientName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown';
  const browser = nameIn(BROWSERS, userAgent);
  if (!browser) return userAgent;
  const system = nameIn(SYSTEMS, userAgent);
  return system ? `${browser} on ${system}` : browser;
}
