import { Text, TextInput } from '@mantine/core';
import { withTheme } from '@rjsf/core';
import { Theme } from '@rjsf/mantine';
import type { DescriptionFieldProps, UiSchema, WidgetProps } from '@rjsf/utils';
import { isOneLine, type Property } from './fields';
import { schemaValidator } from './validator';

const Form = withTheme(Theme);

interface InputFormProps {
  schema: Record<string, unknown>;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  onSubmit: (value: Record<string, unknown>) => void;
  id: string;
}

/** The browser's own field for a date: the theme has one of text. */
function DateWidget({ id, value, required, label, schema, rawErrors, onChange }: WidgetProps) {
  return (
    <TextInput
      id={id}
      type="date"
      label={label}
      description={schema.description}
      required={required ?? false}
      value={typeof value === 'string' ? value : ''}
      error={rawErrors?.join(' ')}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}

const WIDGETS = { DateWidget };

/** A form for an agent's `input_schema`. Its button is outside of it, with `form={id}`. */
export default function InputForm({ schema, value, onChange, onSubmit, id }: InputFormProps) {
  return (
    <Form
      id={id}
      schema={schema}
      formData={value}
      validator={schemaValidator}
      templates={{ DescriptionFieldTemplate: Description }}
      widgets={WIDGETS}
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
    <Text id={id} fz="xs" c="dimmed" component="div" mb={4} dir="auto">
      {description}
    </Text>
  );
}

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
  if (property.type !== 'string' || isOneLine(property)) return undefined;
  return { 'ui:widget': 'textarea', 'ui:options': { rows: 4, ...described } };
}
