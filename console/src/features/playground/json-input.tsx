import { Text } from '@mantine/core';
import JsonEditor from './json-editor';
import { jsonProblem } from './json-problem';
import type { InputFieldsProps } from './use-input';

/** The input of a call as JSON, with the line in which it is broken. */
export default function JsonInput({
  state: { text, parsed, write },
  form,
  onSubmit,
}: Pick<InputFieldsProps, 'state' | 'form' | 'onSubmit'>) {
  return (
    <form
      id={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (parsed) onSubmit(parsed);
      }}
    >
      <JsonEditor label="Input as JSON" value={text} onChange={write} />
      {!parsed && (
        <Text c="red" fz="sm" mt={4} role="alert">
          {jsonProblem(text)}
        </Text>
      )}
    </form>
  );
}
