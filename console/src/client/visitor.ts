/**
 * Whether this browser may have a session. The server says on the page when it got no cookie of one; then a visitor
 * causes no request that is refused.
 */
let isVisitor = document.querySelector<HTMLMetaElement>('meta[name=session]')?.content.trim() === 'none';

export const isKnownVisitor = (): boolean => isVisitor;

/** Notes that an account has logged in or out. */
export function noteVisitor(is: boolean): void {
  isVisitor = is;
}

const ROLE = 'market-role';

/** The role of the account that this browser has shown last; undefined if it keeps nothing for the page. */
export function lastRole(): string | undefined {
  try {
    return localStorage.getItem(ROLE) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps it, so that a page does not read early what the account may not read. */
export function noteRole(role: string): void {
  try {
    localStorage.setItem(ROLE, role);
  } catch {
    // Then such a read is refused once, before the role is known.
  }
}
