import { Text } from '@mantine/core';
import { withTheme } from '@rjsf/core';
import { Theme } from '@rjsf/mantine';
import type { DescriptionFieldProps, UiSchema } from '@rjsf/utils';
import { schemaValidator } from './validator';

const Form = withTheme(Theme);

interface InputFormProps {
  schema: Record<string, unknown>;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  onSubmit: (value: Record<string, unknown>) => void;
  id: string;
}

/** A form for an agent's `input_schema`. Its button is outside of it, with `form={id}`. */
export default function InputForm({ schema, value, onChange, onSubmit, id }: InputFormProps) {
  return (
    <Form
      id={id}
      schema={schema}
      formData={value}
      validator={schemaValidator}
      templates={{ DescriptionFieldTemplate: Description }}
      showErrorList={false}
      focusOnFirstError
      noHtml5Validate
      onChange={({ formData }) => onChange((formData ?? {}) as Record<string, unknown>)}
      onSubmit={({ formData }) => onSubmit((formData ?? {}) as Record<string, unknown>)}
      uiSchema={{ ...widgetsOf(schema), 'ui:submitButtonOptions': { norender: true } }}
    />
  );
}

/** The text below the title of a form, and above a checkbox. */
function Description({ id, description }: DescriptionFieldProps) {
  return (
    <Text id={id} fz="xs" c="dimmed" component="div" mb={4}>
      {description}
    </Text>
  );
}

interface Property {
  type?: unknown;
  description?: string;
  enum?: unknown;
  format?: unknown;
  maxLength?: number;
  properties?: Record<string, Property>;
}

const SHORT_CHARACTERS = 200;

/** Texts that may be long get a field of several lines; one line would lose their line breaks. */
function widgetsOf({ properties = {} }: Property): UiSchema {
  const entries = Object.entries(properties).map(([name, property]) => [name, widgetOf(property)] as const);
  return Object.fromEntries(entries.filter(([, widget]) => widget !== undefined)) as UiSchema;
}

/** The theme leaves out the descriptions of selections and of texts with several lines. */
function widgetOf(property: Property): UiSchema | undefined {
  if (property.type === 'object') return widgetsOf(property);
  const described = property.description === undefined ? {} : { description: property.description };
  if (property.enum !== undefined) return { 'ui:options': described };
  if (property.type !== 'string' || property.format !== undefined) return undefined;
  if ((property.maxLength ?? Infinity) <= SHORT_CHARACTERS) return undefined;
  return { 'ui:widget': 'textarea', 'ui:options': { rows: 4, ...described } };
}
