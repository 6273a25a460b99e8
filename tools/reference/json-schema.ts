import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../src/domain/json-value';
import { checkSchema, compileSchema } from '../../src/kit/schemas/schema-compiler';
import { code, generated, table } from './table';

interface SuiteGroup {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

interface FileResult {
  file: string;
  passed: number;
  /** Descriptions of the cases whose verdict is not the suite's. */
  failed: string[];
  refused: number;
}

const SUITE = join(__dirname, '../../test/corpora/json-schema');

/** The files of the required part of the official suite, with their groups. */
export function readSuite(): [file: string, groups: SuiteGroup[]][] {
  const files = readdirSync(SUITE).filter((file) => file.endsWith('.json'));
  return files.map((file) => [file, JSON.parse(readFileSync(join(SUITE, file), 'utf8')) as SuiteGroup[]]);
}

function resultOf(file: string, groups: readonly SuiteGroup[], reasons: Map<string, number>): FileResult {
  const result: FileResult = { file, passed: 0, failed: [], refused: 0 };
  for (const { description, schema, tests } of groups) {
    const [problem] = checkSchema(wholeSchema(schema));
    if (problem) {
      result.refused += tests.length;
      reasons.set(problem.msg, (reasons.get(problem.msg) ?? 0) + tests.length);
      continue;
    }
    const validate = compileSchema(wholeSchema(schema));
    for (const test of tests) {
      if ((validate(test.data).length === 0) === test.valid) result.passed += 1;
      else result.failed.push(`${description}: ${test.description}`);
    }
  }
  return result;
}

/** A schema of an agent is an object; `true` and `false` are tried inside one. */
export function wholeSchema(schema: unknown): Record<string, unknown> {
  return isRecord(schema) ? schema : { allOf: [schema] };
}

export function jsonSchemaPage(): string {
  const reasons = new Map<string, number>();
  const results = readSuite().map(([file, groups]) => resultOf(file, groups, reasons));
  const sum = (of: (result: FileResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  const rows = results.map(({ file, passed, failed, refused }) => [
    code(file),
    ...[passed, failed.length, refused].map(String),
  ]);
  const total = [
    'all',
    ...[sum(({ passed }) => passed), sum(({ failed }) => failed.length), sum(({ refused }) => refused)].map(
      String,
    ),
  ];
  return `${generated('JSON Schema', '`tools/reference/json-schema.ts` and the suite in `test/corpora/json-schema`', INTRODUCTION)}

## Refused when published

A schema with one of these is refused with 422 \`unsafe_schema\`, whose \`detail\` names the place and the construct. What is published never fails
because of its construct when it is called.

${table(['Construct', 'Instead'], REFUSED)}

## Patterns

${PATTERNS}

## The official suite

The required tests of draft 2020-12 in the [official suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite) (commit 44401e0, MIT), by
file. \`npm run test:long\` runs them through the threads that validate calls. Each verdict of a schema that is not refused is the suite's.

${table(['File', 'Passed', 'Failed', 'Refused'], [...rows, total])}

The refused tests, by the reason that the publisher gets:

${table(
  ['Reason', 'Tests'],
  [...reasons].map(([reason, count]) => [reason, String(count)]),
)}
`;
}

const INTRODUCTION = `\`input_schema\` and \`output_schema\` are JSON Schema [draft 2020-12](https://json-schema.org/draft/2020-12). All keywords of its vocabularies
"core", "applicator", "unevaluated" and "validation" are applied. Annotations, which never make a value invalid, are: \`format\`
(so a time of day without an offset, as Python's \`datetime.isoformat()\` writes it, is valid where \`format\` is \`date-time\`; use \`pattern\` to require a form),
\`contentEncoding\`, \`contentMediaType\`, \`title\`, \`description\`, \`default\`, \`examples\`, and every unknown word, such as \`nullable\` and \`discriminator\` of
OpenAPI: to accept null, write \`"type": ["string", "null"]\`.

Numbers are compared as decimals, as they are written: 19.99 is a multiple of 0.01. Rules for members apply to the names that JavaScript gives
a meaning (\`__proto__\`, \`constructor\`) as to any other. An invalid value gives up to 50 problems, one for each invalid field.`;

const REFUSED = [
  [
    'more than 64 KiB, 32 levels or 2,000 subschemas; references that expand to more than 10,000 subschemas',
    'a smaller schema',
  ],
  [
    '`$ref` and `$dynamicRef` that leave the schema (`other.json`, `https://…`), or point to no subschema',
    'the definition in `$defs`, and `#/$defs/…`',
  ],
  ['`$id` below the top level', '`$anchor` or `$defs`'],
  ['an anchor that two subschemas have', 'two names'],
  ['a reference to itself for the same value', 'a reference from `properties` or `items`'],
  ['`$schema` of another draft', 'draft 2020-12'],
  [
    '`$async`, `$data`, `$recursiveRef`, `$recursiveAnchor`, `$vocabulary`, `id`',
    '`$dynamicRef`, `$id`, or nothing',
  ],
  [
    'keywords with a value that the draft does not allow (`"type": "text"`, `items` with a list)',
    'the value that the draft describes (`prefixItems`)',
  ],
  ['the patterns below; patterns whose size is more than 10,000 in all', 'a simpler pattern, `maxLength`'],
];

const PATTERNS = `\`pattern\` and \`patternProperties\` are regular expressions of ECMA-262 with the flag \`u\`. They match in linear time, so these constructs are
refused by name: look-ahead \`(?=…)\` \`(?!…)\`, look-behind \`(?<=…)\` \`(?<!…)\`, back-references \`\\1\` \`\\k<name>\`, and the Unicode properties
\`Script_Extensions\`, \`ID_Start\`, \`ID_Continue\` and other binary properties than \`Alphabetic\`, \`ASCII\`, \`ASCII_Hex_Digit\`, \`Any\`, \`Assigned\`, \`Dash\`, the \`Emoji\`
properties, \`Extended_Pictographic\`, \`Hex_Digit\`, \`Lowercase\`, \`Math\`, \`Quotation_Mark\`, \`Terminal_Punctuation\`, \`Uppercase\` and \`White_Space\`. Not ECMA-262, and refused as such, are
\`\\A\`, \`\\Z\`, \`\\z\`, \`\\Q…\\E\`, inline flags \`(?i)\`, Python groups \`(?P<name>…)\`, atomic groups and possessive quantifiers. Libraries write look-aheads for
durations, host names and passwords (\`z.iso.duration()\`, \`z.hostname()\`): describe the form without one, or check it in the agent.

General categories and scripts have their long and their short names: \`\\p{Letter}\`, \`\\p{L}\`, \`\\p{Script=Greek}\`, \`\\p{sc=Grek}\`; historic
scripts have the long name only. Escaped punctuation (\`\\-\`, \`\\@\`), a lone \`{\`, \`}\` or \`]\`, and a \`-\` beside a class (\`[\\w-.]\`) are literal, as without the flag.`;
