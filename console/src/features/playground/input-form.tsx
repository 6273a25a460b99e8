import { TextInput } from '@mantine/core';
import { withTheme } from '@rjsf/core';
import { Theme } from '@rjsf/mantine';
import type { ErrorSchema, UiSchema, WidgetProps } from '@rjsf/utils';
import { useMemo } from 'react';
import { isOneLine, type Property } from './fields';
import { Description, FieldProblems } from './form-templates';
import { schemaValidator } from './validator';

const Form = withTheme(Theme);

interface InputFormProps {
  schema: Record<string, unknown>;
  value: Record<string, unknown>;
  onChange: (value: Record<string, unknown>) => void;
  onSubmit: (value: Record<string, unknown>) => void;
  id: string;
  /** What the service found wrong with the fields, by their names. */
  problems?: Readonly<Record<string, string>>;
}

interface BrowserFieldProps {
  field: WidgetProps;
  type: 'date' | 'datetime-local';
  text: string;
  onText: (text: string) => void;
}

/** The browser's own field for a date or a time: the theme has one of text. */
function BrowserField({ field, type, text, onText }: BrowserFieldProps) {
  return (
    <TextInput
      id={field.id}
      type={type}
      label={field.label}
      description={field.schema.description}
      required={field.required ?? false}
      value={text}
      error={field.rawErrors?.join(' ')}
      onChange={({ currentTarget: { value } }) => (value === '' ? field.onChange(undefined) : onText(value))}
    />
  );
}

function DateWidget(props: WidgetProps) {
  const text = typeof props.value === 'string' ? props.value : '';
  return <BrowserField field={props} type="date" text={text} onText={props.onChange} />;
}

/** Takes the time of the reader's zone; the value is in UTC. */
function DateTimeWidget(props: WidgetProps) {
  const toUtc = (text: string) => props.onChange(new Date(text).toISOString());
  return <BrowserField field={props} type="datetime-local" text={localText(props.value)} onText={toUtc} />;
}

/** A time as the browser's field takes it, to the minute. */
function localText(value: unknown): string {
  const at = new Date(typeof value === 'string' ? value : '');
  if (Number.isNaN(at.getTime())) return '';
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

const WIDGETS = { DateWidget, DateTimeWidget };
const TEMPLATES = { DescriptionFieldTemplate: Description, FieldErrorTemplate: FieldProblems };

/** Without it, the form writes an error of the script for each press of the button that finds a problem. */
const shownAtFields = () => undefined;

/**
 * A form for an agent's `input_schema`, or for a question of an agent. Its button is outside of it, with `form={id}`.
 */
export default function InputForm({ schema, value, onChange, onSubmit, id, problems }: InputFormProps) {
  // The form takes another object for other problems.
  const extraErrors = useMemo(() => errorsOf(problems), [problems]);
  return (
    <Form
      id={id}
      schema={schema}
      formData={value}
      {...(extraErrors && { extraErrors })}
      validator={schemaValidator}
      templates={TEMPLATES}
      widgets={WIDGETS}
      showErrorList={false}
      focusOnFirstError
      noHtml5Validate
      onChange={({ formData }) => onChange((formData ?? {}) as Record<string, unknown>)}
      onError={shownAtFields}
      onSubmit={({ formData }) => onSubmit((formData ?? {}) as Record<string, unknown>)}
      uiSchema={{ ...widgetsOf(schema), 'ui:submitButtonOptions': { norender: true } }}
    />
  );
}

function errorsOf(problems: InputFormProps['problems']): ErrorSchema | undefined {
  if (!problems) return undefined;
  const entries = Object.entries(problems).map(([name, text]) => [name, { __errors: [text] } as ErrorSchema]);
  return Object.fromEntries(entries) as ErrorSchema;
}

/** Texts that may be long get a field of several lines; one line would lose their line breaks. */
function widgetsOf({ properties = {}, required = [] }: Property): UiSchema {
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, widgetOf(property, required.includes(name))] as const,
  );
  return Object.fromEntries(entries.filter(([, widget]) => widget !== undefined)) as UiSchema;
}

/** The theme leaves out the descriptions of selections and of texts with several lines. */
function widgetOf(property: Property, isRequired: boolean): UiSchema | undefined {
  const { type, description, enumNames } = property;
  if (type === 'object') return widgetsOf(property);
  const described = description === undefined ? {} : { description };
  if (property.enum !== undefined)
    return { 'ui:options': { ...described, ...(enumNames === undefined ? {} : { enumNames }) } };
  if (property.oneOf !== undefined) return type === 'string' ? { 'ui:options': described } : undefined;
  // A box that is not ticked says neither yes nor no.
  if (type === 'boolean' && isRequired) return { 'ui:widget': 'radio', 'ui:options': described };
  if (type !== 'string' || isOneLine(property)) return undefined;
  return { 'ui:widget': 'textarea', 'ui:options': { rows: 4, ...described } };
}
