/** Shorter values are not masked, whatever their name is: they occur by chance. */
const MIN_LENGTH = 8;
const MIN_RANDOM_LENGTH = 16;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Last words of the names of parameters whose values are secret. */
const SECRET_NAMES = new Set([
  ...[
    'key',
    'apikey',
    'accesskey',
    'authkey',
    'subscriptionkey',
    'token',
    'accesstoken',
    'authtoken',
    'jwt',
    'sid',
  ],
  ...[
    'sig',
    'signature',
    'hmac',
    'secret',
    'clientsecret',
    'pass',
    'passwd',
    'password',
    'passphrase',
    'pwd',
  ],
  ...['auth', 'authorization', 'credential', 'credentials', 'session'],
]);

/**
 * The credentials that a URL contains: values of parameters that are named as secrets or look random, and parts of the
 * path and labels of the host that look random.
 */
export function credentialsInUrl(url: string): string[] {
  const { hostname, pathname, search, searchParams } = new URL(url);
  const raw = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
  const values = [...searchParams].flatMap(([name, value], at) =>
    value.length >= MIN_LENGTH && (isSecretName(name) || isRandom(value)) ? [value, raw[at] ?? value] : [],
  );
  const parts = [...pathname.split('/'), ...hostname.split('.')];
  return [...new Set([...values, ...parts.flatMap((part) => [part, decoded(part)]).filter(isRandom)])];
}

function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g);
  return SECRET_NAMES.has(words?.at(-1) ?? '');
}

/**
 * True for text that is not written by hand: a UUID, or a run of letters and digits, or of both cases, that keep
 * changing.
 */
function isRandom(text: string): boolean {
  if (UUID.test(text)) return true;
  if (text.length < MIN_RANDOM_LENGTH) return false;
  return (text.match(/[A-Za-z\d]{12,}/g) ?? []).some((run) => changesIn(run) >= Math.max(4, run.length / 5));
}

/** How often the kind of character changes: digit, small or large letter. */
function changesIn(run: string): number {
  const kinds = run.replaceAll(/\d/g, '0').replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A');
  let changes = 0;
  for (let at = 1; at < kinds.length; at++) if (kinds[at] !== kinds[at - 1]) changes++;
  return changes;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
