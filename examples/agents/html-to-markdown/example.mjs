import { readFileSync } from 'node:fs';

/** A real input: a chapter of The Rust Programming Language as its website serves it (data/LICENSE.md). */
export function exampleInput() {
  return {
    html: readFileSync(new URL('data/what-is-ownership.html', import.meta.url), 'utf8'),
    base_url: 'https://doc.rust-lang.org/book/ch04-01-what-is-ownership.html',
  };
}
