import { createHash } from 'node:crypto';
import type { Response } from 'express';

/** Text that is safe in an HTML document. Only `markup` makes it. */
export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Builds HTML. Every value is escaped for text and for quoted attributes, unless it is `Html` itself. */
export function markup(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | Html[])[]
): Html {
  return new Html(parts.reduce((text, part, index) => `${text}${inserted(values[index - 1])}${part}`));
}

function inserted(value: string | number | Html | Html[] | undefined): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return String(value).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
h1 { font-size: 1.4rem }
dt { font-weight: 600 }
dd { margin: 0 0 .75rem; overflow-wrap: anywhere }
label { display: block; font-weight: 600; margin-top: .75rem }
input, select { font: inherit; padding: .4rem; width: 100%; box-sizing: border-box; border: 1px solid #595959; border-radius: 4px }
button, .button { font: inherit; padding: .5rem 1rem; margin: 1rem .5rem 0 0; border: 1px solid #1a4f9c; border-radius: 4px; background: #fff; color: #1a4f9c }
.button { display: inline-block; text-decoration: none; overflow-wrap: anywhere }
button.first, .button { background: #1a4f9c; color: #fff }
.error { border-left: 4px solid #b00020; padding-left: .75rem }
.note { color: #4a4a4a }
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export interface Page {
  title: string;
  body: Html;
  /** An address that the browser opens by itself. A form's answer may not redirect there under `form-action 'self'`. */
  next?: string | undefined;
}

/**
 * Sends a page that runs no script, loads nothing, posts only to this service and cannot be framed. Popups of a client
 * keep their opener, because clients wait for the answer there.
 */
export function sendPage(res: Response, status: number, { title, body, next }: Page): void {
  const refresh = next === undefined ? '' : markup`<meta http-equiv="refresh" content="${`0;url=${next}`}">`;
  const { text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${refresh}
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  res.setHeader('X-Frame-Options', 'DENY');
  // With no-referrer, browsers send `Origin: null` for the form.
  res.setHeader('Referrer-Policy', 'same-origin');
  res.setHeader('Cross-Origin-Opener-Policy', 'unsafe-none');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
