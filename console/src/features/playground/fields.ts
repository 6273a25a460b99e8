/** How the form shows the fields of a schema. */
export interface Property {
  type?: unknown;
  description?: string;
  enum?: unknown;
  /** What a person reads instead of the values of `enum`. */
  enumNames?: string[];
  oneOf?: unknown;
  required?: string[];
  format?: unknown;
  pattern?: unknown;
  maxLength?: number;
  properties?: Record<string, Property>;
  additionalProperties?: unknown;
}

const SHORT_CHARACTERS = 200;
/** What a pattern must contain to accept a line break. */
const OF_LINE_BREAKS = /\\[snrWDS]|\[\^/;

/** Whether a text never has a line break, so that a field of one line is enough. */
export function isOneLine({ maxLength = Infinity, pattern, format }: Property): boolean {
  if (format !== undefined || maxLength <= SHORT_CHARACTERS) return true;
  return typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !OF_LINE_BREAKS.test(pattern);
}

/** The fields of an input that a form of the schema does not show. */
export function hiddenFields(schema: Property, input: Record<string, unknown>): string[] {
  const { properties = {}, additionalProperties } = schema;
  // The form shows further fields where the schema says that there may be some.
  if (additionalProperties !== undefined && additionalProperties !== false) return [];
  return Object.keys(input).filter((name) => !Object.hasOwn(properties, name));
}
