import { brokenAt } from '../publish/line-of.ts';

/** What is wrong with a text that has to be a JSON object, with its line where it is broken. */
export function jsonProblem(text: string): string {
  if (text.trim() === '') return 'Write a JSON object: { … }.';
  try {
    JSON.parse(text);
    return 'This is JSON, but not an object. Begin with { and end with }.';
  } catch {
    return `The JSON is broken in line ${brokenAt(text.trimEnd()).line}.`;
  }
}
