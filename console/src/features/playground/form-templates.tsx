import { Text } from '@mantine/core';
import { errorId, type DescriptionFieldProps, type FieldErrorProps } from '@rjsf/utils';

/** The text below the title of a form, and above a checkbox. */
export function Description({ id, description }: DescriptionFieldProps) {
  return (
    <Text id={id} fz="xs" c="dimmed" component="div" mb={4} dir="auto">
      {description}
    </Text>
  );
}

/**
 * What is wrong with a list or with an object as a whole. The theme writes the problems of every field, and hides them:
 * the components of single values show their own, which are then there twice, and those of lists are not seen.
 */
export function FieldProblems({ errors = [], schema, uiSchema, registry, fieldPathId }: FieldErrorProps) {
  const { schemaUtils } = registry;
  const isChosen = schemaUtils.isMultiSelect(schema) || schemaUtils.isFilesArray(schema, uiSchema);
  const isWhole = schema.type === 'object' || (schema.type === 'array' && !isChosen);
  if (!isWhole || errors.length === 0) return null;
  return (
    <Text id={errorId(fieldPathId)} fz="xs" c="red" component="div" mb="xs">
      {errors.map((problem, index) => (
        <div key={index}>{problem}</div>
      ))}
    </Text>
  );
}
