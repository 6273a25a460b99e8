import { Validator } from '@cfworker/json-schema';
import type { RJSFSchema, RJSFValidationError, ValidatorType } from '@rjsf/utils';
import { toErrorSchema } from '@rjsf/utils';
import { problemWords } from './problem-words';

const MOST_PROBLEMS = 50;
/** Keywords that only repeat the problem of a keyword below them. */
const FRAMES = new Set([
  'properties',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  'if',
  'then',
  'else',
  'patternProperties',
  'prefixItems',
]);

/** Where a problem is shown: that of a missing field at the field itself, so that it is marked and gets the focus. */
function placeOf(keyword: string, location: string, error: string): { property: string; message: string } {
  const property = location
    .replace(/^#/, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
  const missing = keyword === 'required' ? /required property "(.+)"\.?$/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return { property: `${property}.${missing}`, message: 'Fill in this field.' };
  return { property, message: problemWords(error) };
}

/** The problems of a value, by the path of each field. The check generates no code, which the policy forbids. */
function problemsOf(schema: RJSFSchema, value: unknown): RJSFValidationError[] {
  const { valid, errors } = new Validator(schema as object, '2020-12', false).validate(value);
  if (valid) return [];
  const own = errors.filter(({ keyword }) => !FRAMES.has(keyword));
  return (own.length > 0 ? own : errors)
    .slice(0, MOST_PROBLEMS)
    .map(({ instanceLocation, keyword, error }) => {
      const { property, message } = placeOf(keyword, instanceLocation, error);
      return { name: keyword, property, message, stack: `${property || 'input'}: ${message}` };
    });
}

/** Validates forms with a library that interprets schemas. The service checks every input again. */
export const schemaValidator: ValidatorType = {
  validateFormData(formData, schema, _custom, transformErrors, uiSchema) {
    const found = problemsOf(schema, formData ?? {});
    const errors = transformErrors ? transformErrors(found, uiSchema) : found;
    return { errors, errorSchema: toErrorSchema(errors) };
  },
  isValid(schema, formData, rootSchema) {
    try {
      const definitions = (rootSchema as { $defs?: object; definitions?: object }) ?? {};
      const whole = { $defs: definitions.$defs, definitions: definitions.definitions, ...(schema as object) };
      return problemsOf(JSON.parse(JSON.stringify(whole)) as RJSFSchema, formData).length === 0;
    } catch {
      return false;
    }
  },
  rawValidation: (schema, formData) => ({ errors: problemsOf(schema, formData) as never[] }),
};
