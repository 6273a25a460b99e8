import { readFileSync } from 'node:fs';
import { parseStrictJsonText } from '../../kit/json/strict-json';
import { usageFailure } from '../failure';
import { readStandardInput } from './terminal-input';
import { isRecord } from '../../domain/json-value';

/**
 * Reads a JSON object from an argument: inline text, `@file`, or `-` for standard input. Throws `CliFailure` (exit 2)
 * for anything else.
 */
export async function readJsonArgument(argument: string, name: string): Promise<object> {
  const text = await textOf(argument);
  try {
    const { value } = parseStrictJsonText(text);
    if (isRecord(value)) return value;
  } catch (error) {
    throw usageFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
  throw usageFailure(`${name} must be a JSON object`);
}

async function textOf(argument: string): Promise<string> {
  if (argument === '-') return readStandardInput();
  if (!argument.startsWith('@')) return argument;
  const file = argument.slice(1);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageFailure(`${file} cannot be read: check the path and its permissions`);
  }
}
