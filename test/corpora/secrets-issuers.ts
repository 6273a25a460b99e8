/**
 * One key of each of 533 issuers, in a file as people commit it. `secret-forms.tsv` has the form of each key, after the
 * detectors of mongodb/kingfisher; no value is from there.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeUp } from '../support/verification/bundles';
import type { SecretCase } from './secrets';

/** Files that name a key after its issuer; issuers take turns. */
const FILES: readonly [path: string, text: (name: string, key: string) => string][] = [
  ['.env', (name, key) => `PORT=8080\n${name.toUpperCase()}_API_KEY=${key}\nLOG_LEVEL=info\n`],
  ['src/client.py', (name, key) => `import requests\n\n${name}_token = "${key}"\n`],
  ['config.yaml', (name, key) => `services:\n  ${name}:\n    api_key: ${key}\n    timeout: 30\n`],
  [
    'src/client.ts',
    (name, key) =>
      `import { Client } from '${name}';\n\nexport const client = new Client({ apiKey: '${key}' });\n`,
  ],
  ['settings.json', (name, key) => `{\n  "name": "agent",\n  "${name}Secret": "${key}"\n}\n`],
  ['deploy.sh', (name, key) => `#!/bin/sh\nexport ${name.toUpperCase()}_TOKEN="${key}"\n./run\n`],
  [
    'docker-compose.yml',
    (name, key) => `services:\n  app:\n    environment:\n      - ${name.toUpperCase()}_SECRET_KEY=${key}\n`,
  ],
  ['src/main.go', (name, key) => `package main\n\nconst ${name}ApiKey = "${key}"\n`],
];

/** A class of characters with a count, or one character. */
const PART = /\[((?:\\.|[^\]\\])+)\](?:\{(\d+)\})?|\\(.)|([^\\[])/gs;

function keyOf(form: string, seed: number): string {
  let at = seed;
  return form.replaceAll(
    PART,
    (_part, characters?: string, count?: string, escaped?: string, plain?: string) =>
      characters === undefined
        ? (escaped ?? plain ?? '')
        : madeUp(alphabetOf(characters), Number(count ?? 1), (at += 15_485_863)),
  );
}

function alphabetOf(characters: string): string {
  return characters.replaceAll(/\\(.)|(.)-(.)/gs, (_range: string, ...parts: (string | undefined)[]) => {
    const [escaped, first = '', last = ''] = parts;
    if (escaped !== undefined) return escaped;
    const from = first.charCodeAt(0);
    return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, step) =>
      String.fromCharCode(from + step),
    ).join('');
  });
}

export const SECRETS_OF_ISSUERS: readonly SecretCase[] = readFileSync(
  join(__dirname, 'secret-forms.tsv'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line, index): SecretCase => {
    const [name = '', form = ''] = line.split('\t');
    const [path, text] = FILES[index % FILES.length] ?? ['.env', String];
    return { is: 'secret', name, path, text: text(name, keyOf(form, 104_729 * (index + 1))) };
  });
