/** A hash of the sources of each folder in `src`, without those in folders below it, by the path of the folder. */
export function hashFolders(root: string): Record<string, string>;
/** Writes down the sources that were compiled just now. `hashes` is what `hashFolders` answered before. */
export function recordCompiled(root: string, hashes: Record<string, string>): void;
/** Throws if a source in one of the folders, or below it, is not the one that was compiled. Default: all of `src`. */
export function requireCompiled(root: string, folders?: readonly string[]): void;
