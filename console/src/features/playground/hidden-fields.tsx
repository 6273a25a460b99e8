import { Alert, Button, Code } from '@mantine/core';
import { hiddenFields } from './fields';

interface HiddenFieldsProps {
  schema: Record<string, unknown>;
  input: Record<string, unknown>;
  onChange: (input: Record<string, unknown>) => void;
}

/** Fields of the input for which the form has no place. They would be sent unseen. */
export function HiddenFields({ schema, input, onChange }: HiddenFieldsProps) {
  const names = hiddenFields(schema, input);
  if (names.length === 0) return null;
  const without = () => Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)));
  return (
    <Alert color="yellow" variant="light" role="status" title="More is sent than this form shows">
      The input also has{' '}
      {names.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <Code className="plain-code" dir="auto">
            {name}
          </Code>
        </span>
      ))}
      . The view JSON shows {names.length === 1 ? 'it' : 'them'}.
      <div>
        <Button variant="default" size="compact-xs" mt="xs" onClick={() => onChange(without())}>
          Leave {names.length === 1 ? 'it' : 'them'} out
        </Button>
      </div>
    </Alert>
  );
}
