import { randomBytes } from 'node:crypto';
import type { RequestHandler } from 'express';
import { contextOf } from '../identity/context';
import { landingPage, type LandingFacts } from './landing-page';

/**
 * Serves the page at `/` to people: what the marketplace is, a search, and the ways in. Programs that ask for JSON get
 * the 404 of every unknown path. The page has no script, so that it shows at once.
 */
export function serveLanding(facts: LandingFacts): RequestHandler {
  return (req, res, next) => {
    // Browsers and readers of links ask for this name by themselves.
    if (req.path === '/favicon.ico') {
      contextOf(req).route = '/favicon.ico';
      return res.redirect(301, '/console/icon.svg');
    }
    const isForPeople = req.path === '/' && (req.method === 'GET' || req.method === 'HEAD');
    if (!isForPeople || req.accepts(['html', 'json']) !== 'html') return next();
    contextOf(req).route = '/';
    const nonce = randomBytes(16).toString('base64url');
    res.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    res.setHeader('Cache-Control', 'no-cache');
    res.setHeader('Vary', 'Accept');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(req.method === 'HEAD' ? undefined : landingPage(nonce, facts));
  };
}
