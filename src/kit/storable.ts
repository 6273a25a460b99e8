/** A stranger's text in characters that Postgres can hold: no NUL, and no half of a character. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed();
}
