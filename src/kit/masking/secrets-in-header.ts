/** Shorter values can be guessed: a mask in an answer would confirm the guess. Such credentials are refused. */
export const MIN_CREDENTIAL_LENGTH = 16;

const MAX_PARTS = 8;
/** `Bearer x`, `Token x`: the scheme is not secret, and an agent may echo the value without it. */
const SCHEME = /^(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|oauth)[ \t]{1,16}(.+)$/i;

/** The secret texts of a header value: the value without its scheme, the password of `Basic`, long parameters. */
export function secretsInHeader(header: string): string[] {
  const { credentials, password, parameters } = partsOf(header);
  const parts = parameters.slice(0, MAX_PARTS).filter((part) => part.length >= MIN_CREDENTIAL_LENGTH);
  return [...new Set([credentials, ...(password ? [password] : []), ...parts])];
}

/**
 * How many characters of a header value are secret: of `Basic` credentials the password, of parameters (`a=b; c=d`) the
 * longest value, else the value without its scheme.
 */
export function secretLength(header: string): number {
  const { credentials, password, parameters } = partsOf(header);
  if (password !== undefined) return password.length;
  const isParameters = /^[\w.-]{1,200}=\s{0,16}"?[^"=]/.test(credentials) && parameters.length > 0;
  return isParameters ? Math.max(...parameters.map((part) => part.length)) : credentials.length;
}

function partsOf(header: string) {
  const value = header.trim();
  const credentials = SCHEME.exec(value)?.[1] ?? value;
  const decoded = /^basic /i.test(value) ? Buffer.from(credentials, 'base64').toString() : '';
  const password = /^[^:]{0,512}:(.*)$/s.exec(decoded)?.[1];
  const parameters = value
    .split(/[;,&]/)
    .map((part) => /=\s{0,16}"?([^"]{0,8192})"?\s{0,16}$/.exec(part)?.[1] ?? '')
    .filter((part) => part !== '');
  return { credentials, password, parameters };
}
