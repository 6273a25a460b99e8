import { readFileSync } from 'node:fs';
import { parseStrictJsonText } from '../../kit/json/strict-json';
import { usageFailure } from '../failure';
import { readStandardInput } from './terminal-input';

/** A JSON object that was given as an argument, as `@file`, or as `-` on standard input; exit 2 for anything else. */
export async function readJsonArgument(argument: string, name: string): Promise<object> {
  const text = await textOf(argument);
  try {
    const { value } = parseStrictJsonText(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw usageFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
  throw usageFailure(`${name} is not a JSON object`);
}

async function textOf(argument: string): Promise<string> {
  if (argument === '-') return readStandardInput();
  if (!argument.startsWith('@')) return argument;
  const file = argument.slice(1);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageFailure(`${file} cannot be read`);
  }
}
