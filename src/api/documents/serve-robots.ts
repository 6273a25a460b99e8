import type { RequestHandler } from 'express';
import { contextOf } from '../identity/context';

/** Pages of the console that show an account's own things, or change them. A rule is the beginning of an address. */
const OWN_PAGES = [
  'account',
  'calls',
  'confirm-email',
  'developer/',
  'disputes',
  'enter',
  'forgot-password',
  'keys',
  'login',
  'notices',
  'operator',
  'platform',
  'reset-password',
  'signup',
  'wallet',
  'webhooks',
  'welcome',
];

/** Serves `/robots.txt`: crawlers may read what is public, and find the sitemaps. */
export function serveRobots(origin: string): RequestHandler {
  const lines = [
    'User-agent: *',
    'Allow: /',
    'Disallow: /oauth/',
    ...OWN_PAGES.map((page) => `Disallow: /console/${page}`),
    '',
    `Sitemap: ${origin}/sitemap.xml`,
  ];
  const text = `${lines.join('\n')}\n`;
  return (req, res, next) => {
    if (req.path !== '/robots.txt' || (req.method !== 'GET' && req.method !== 'HEAD')) return next();
    contextOf(req).route = '/robots.txt';
    res.setHeader('Cache-Control', 'public, max-age=3600');
    res.type('text/plain').send(text);
  };
}
