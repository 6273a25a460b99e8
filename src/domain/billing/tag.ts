/** A pair of the metadata of a call as lists, sums and budgets name it: `project=atlas`. A name contains no `=`. */
export const PAIR_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}=[^\\u0000-\\u001f\\u007f-\\u009f]{1,100}$';
/** A pair, or a name alone. */
export const TAG_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}(=[^\\u0000-\\u001f\\u007f-\\u009f]{1,100})?$';
export const MOST_TAG_LENGTH = 141;

/** The pair of a tag. */
export function pairOf(tag: string): { name: string; value: string } {
  const at = tag.indexOf('=');
  return { name: tag.slice(0, at), value: tag.slice(at + 1) };
}
