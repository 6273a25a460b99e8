/** The name of an operation of the API as words: `createKey` becomes "Create key". */
export function operationWords(operation: string): string {
  const words = operation.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
