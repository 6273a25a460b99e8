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
