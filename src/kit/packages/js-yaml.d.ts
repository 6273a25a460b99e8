/** The part of js-yaml that `config-files.ts` uses. */
declare module 'js-yaml' {
  export const CORE_SCHEMA: unique symbol;
  export function loadAll(text: string, options: { schema: typeof CORE_SCHEMA; maxDepth: number }): unknown[];
}
