/**
 * The token of a mail. It stands behind `#` in the link, so that no server receives it. It is taken out of the address
 * and kept in this tab, because a visitor may have to log in before it is used.
 */
export function takeMailToken(page: string): string | undefined {
  const name = `token of ${page}`;
  const token = location.hash.slice(1);
  if (token === '') return sessionStorage.getItem(name) ?? undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  sessionStorage.setItem(name, token);
  return token;
}

export function forgetMailToken(page: string): void {
  sessionStorage.removeItem(`token of ${page}`);
}
