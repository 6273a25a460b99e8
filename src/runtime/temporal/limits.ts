/** Limits of the Temporal servers that this product starts, which its processes have to know. */

/**
 * Size of a search attribute, in bytes (Temporal's default: 2 KiB): the names of 256 calls of one buyer, or 137 of
 * different ones.
 */
export const SEARCH_ATTRIBUTE_BYTES = 16_384;
