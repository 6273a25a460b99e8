import { byName, type Tool } from '../../../domain/catalogue/tools/tool-list';
import { canonicalJson, sha256Hex } from '../../../kit/json/canonical-json';

/** SHA-256 of the canonical JSON (RFC 8785) of the tools, sorted by name; in hexadecimal. */
export function toolsDigest(tools: readonly Tool[]): string {
  return sha256Hex(canonicalJson(byName(tools)));
}

/** The digest as buyers see it. */
export const shownDigest = (digest: string): string => `sha256:${digest}`;
