import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';

const COOKIE = 'market_consent';
const NONCE = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{32})(?:;|$)`);
const LIFETIME_MS = 3_600_000;

/**
 * Binds the form of a page to the browser that loaded it, to the account that was signed in, and to the request that it
 * showed (protection against cross-site request forgery). The browser is recognized by a cookie with a random value.
 */
export function createPageTokens(options: { secret: string; isSecure: boolean }) {
  const key = createHmac('sha256', options.secret).update('oauth consent page').digest();
  const tokenOf = (nonce: string, userId: string | undefined, address: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([nonce, userId ?? null, address]))
      .digest();

  return {
    /** The token for a page at `address`. Sets the cookie if the browser has none. */
    issue(req: Request, res: Response, userId: string | undefined, address: string): string {
      const known = nonceOf(req);
      const nonce = known ?? randomBytes(16).toString('hex');
      if (known === undefined) {
        const secure = options.isSecure;
        const cookie = { httpOnly: true, sameSite: 'lax', secure, path: '/oauth' } as const;
        res.cookie(COOKIE, nonce, { ...cookie, maxAge: LIFETIME_MS });
      }
      return tokenOf(nonce, userId, address).toString('base64url');
    },

    isValid(req: Request, token: string | undefined, userId: string | undefined, address: string): boolean {
      const nonce = nonceOf(req);
      if (nonce === undefined || token === undefined) return false;
      const wanted = tokenOf(nonce, userId, address);
      const given = Buffer.from(token, 'base64url');
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}

export type PageTokens = ReturnType<typeof createPageTokens>;

function nonceOf(req: Request): string | undefined {
  return NONCE.exec(req.headers.cookie ?? '')?.[1];
}
