/**
 * Questions of jobs to their buyers (ADR 0306). Their schemas are flat, as those of elicitation in MCP: an object of
 * texts, numbers and truth values, so that every door can show a form, and an answer is checked without a schema
 * engine.
 */
import type { FieldProblem } from '../errors';
import { isRecord, isStorableJson } from '../json-value';
import { asksForSecret, fieldProblem, type QuestionField, schemaOfFieldProblems } from './question-fields';

export const MOST_PROMPT_CHARACTERS = 2_000;
/** The longest question as JSON, with its id and address. */
const MOST_QUESTION_BYTES = 8_192;
/** Ids of questions that agents choose. */
export const QUESTION_ID_PATTERN = '^[A-Za-z0-9_.:-]{1,64}$';

export interface QuestionSchema {
  $schema?: string;
  type: 'object';
  title?: string;
  description?: string;
  properties: Record<string, QuestionField>;
  required?: string[];
  additionalProperties?: false;
}

/** What a buyer is asked. */
export interface QuestionText {
  prompt: string;
  schema: QuestionSchema;
}

/** A question as an agent asks it. */
export interface AskedQuestion extends QuestionText {
  /** The id that the agent gave. */
  questionId: string | null;
  /** Where the agent wants the answer, as it wrote it. */
  answerUrl: string | null;
}

/** What is wrong with a question as an agent sends it, without its size. An empty list: it is an `AskedQuestion`. */
export function questionProblems(given: Readonly<Record<string, unknown>>, loc: Loc): FieldProblem[] {
  const { prompt, schema, answer_url: answerUrl, question_id: id, ...others } = given;
  const problems = Object.keys(others).map((name) =>
    problem([...loc, name], 'is not a member of a question', 'additionalProperties'),
  );
  if (!isText(prompt) || prompt.trim() === '')
    problems.push(problem([...loc, 'prompt'], 'must be a text', prompt === undefined ? 'required' : 'type'));
  else if ([...prompt].length > MOST_PROMPT_CHARACTERS)
    problems.push(
      problem([...loc, 'prompt'], `must have at most ${MOST_PROMPT_CHARACTERS} characters`, 'maxLength'),
    );
  if (answerUrl !== undefined && (!isText(answerUrl) || answerUrl.length > MOST_URL_CHARACTERS))
    problems.push(
      problem(
        [...loc, 'answer_url'],
        `must be an address of at most ${MOST_URL_CHARACTERS} characters`,
        'type',
      ),
    );
  if (id !== undefined && (!isText(id) || !ID.test(id)))
    problems.push(problem([...loc, 'question_id'], `must match ${QUESTION_ID_PATTERN}`, 'pattern'));
  if (schema === undefined) problems.push(problem([...loc, 'schema'], 'is required', 'required'));
  else problems.push(...questionSchemaProblems(schema, [...loc, 'schema']));
  if (problems.length === 0 && !isStorableJson(given))
    problems.push(problem(loc, 'must have no NUL characters and no lone surrogates', 'format'));
  return problems;
}

/** A question without problems. */
export function askedQuestion(given: Readonly<Record<string, unknown>>): AskedQuestion {
  const {
    prompt,
    schema,
    answer_url: answerUrl,
    question_id: questionId,
  } = given as {
    prompt: string;
    schema: QuestionSchema;
    answer_url?: string;
    question_id?: string;
  };
  return { prompt, schema, answerUrl: answerUrl ?? null, questionId: questionId ?? null };
}

/** Whether a question is larger than `MOST_QUESTION_BYTES`. */
export function isTooLong(given: Readonly<Record<string, unknown>>): boolean {
  return new TextEncoder().encode(JSON.stringify(given)).length > MOST_QUESTION_BYTES;
}

const MOST_URL_CHARACTERS = 2_000;
const ID = new RegExp(QUESTION_ID_PATTERN);

type Loc = readonly (string | number)[];

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  $schema: isText,
  type: (value) => value === 'object',
  title: isText,
  description: isText,
  properties: isRecord,
  required: (value) => Array.isArray(value) && value.every(isText),
  additionalProperties: (value) => value === false,
};
const WRONG: Readonly<Record<string, string>> = {
  type: 'must be object',
  properties: 'must be an object that describes each field',
  required: 'must be a list of names of fields',
  additionalProperties: 'must be false, or left out: an answer has no other fields',
};

/** What is wrong with the schema of a question, at `loc`. An empty list: it is a flat schema. */
function questionSchemaProblems(schema: unknown, loc: Loc): FieldProblem[] {
  if (!isRecord(schema)) return [problem(loc, 'must be a JSON Schema', 'type')];
  const problems = Object.entries(schema).flatMap(([name, value]): FieldProblem[] => {
    const accepts = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    if (!accepts) return [problem([...loc, name], 'is not supported in a question', 'additionalProperties')];
    return accepts(value) ? [] : [problem([...loc, name], WRONG[name] ?? 'must be a text', 'type')];
  });
  for (const name of ['type', 'properties'])
    if (!Object.hasOwn(schema, name)) problems.push(problem([...loc, name], 'is required', 'required'));
  if (problems.length > 0) return problems;
  const { properties, required = [] } = schema as unknown as QuestionSchema;
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      nameProblems(name, [...loc, 'properties', name]).concat(
        schemaOfFieldProblems(field, [...loc, 'properties', name]),
        secretProblems(name, field, [...loc, 'properties', name]),
      ),
    ),
    ...required.flatMap((name, at) =>
      Object.hasOwn(properties, name)
        ? []
        : [problem([...loc, 'required', at], 'is not one of the properties', 'enum')],
    ),
  ];
}

/** What is wrong with an answer: one problem for each field, at `loc`. */
export function answerProblems(
  { properties, required = [] }: QuestionSchema,
  answer: unknown,
  loc: Loc,
): FieldProblem[] {
  if (!isRecord(answer) || !isStorableJson(answer))
    return [problem(loc, 'must be an object with the fields of the question', 'type')];
  const missing = required.filter((name) => !Object.hasOwn(answer, name));
  return [
    ...missing.map((name) => problem([...loc, name], 'is required', 'required')),
    ...Object.entries(answer).flatMap(([name, value]): FieldProblem[] => {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const at = [...loc, name];
      if (!field) return [problem(at, 'is not a field of the question', 'additionalProperties')];
      const found = fieldProblem(field, value);
      return found ? [problem(at, found.msg, found.type)] : [];
    }),
  ];
}

const MOST_NAME_CHARACTERS = 64;

function nameProblems(name: string, loc: Loc): FieldProblem[] {
  const isName = name !== '' && [...name].length <= MOST_NAME_CHARACTERS && !/[\p{Cc}\p{Cs}]/u.test(name);
  if (isName && name !== '__proto__') return [];
  const msg = `must have a name of 1 to ${MOST_NAME_CHARACTERS} characters without control characters`;
  return [problem(loc, msg, 'propertyNames')];
}

function secretProblems(name: string, field: unknown, loc: Loc): FieldProblem[] {
  if (!asksForSecret(name, field)) return [];
  return [problem(loc, 'asks for a secret, which a question must not', 'secret')];
}

function problem(loc: Loc, msg: string, type: string): FieldProblem {
  return { loc: [...loc], msg, type };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
