import { Select } from '@mantine/core';

const SHORTEST = 60;

interface ExampleSelectProps {
  examples: readonly Record<string, unknown>[];
  onChoose: (input: Record<string, unknown>) => void;
}

/** Fills the input with one of the agent's examples. */
export function ExampleSelect({ examples, onChoose }: ExampleSelectProps) {
  if (examples.length < 2) return null;
  return (
    <Select
      label="Fill in an example"
      placeholder="Choose one"
      size="xs"
      value={null}
      data={examples.map((input, index) => ({ value: String(index), label: labelOf(index, input) }))}
      onChange={(index) => {
        const chosen = index === null ? undefined : examples[Number(index)];
        if (chosen) onChoose(chosen);
      }}
    />
  );
}

function labelOf(index: number, input: Record<string, unknown>): string {
  const text = JSON.stringify(input);
  return `${index + 1}. ${text.length > SHORTEST ? `${text.slice(0, SHORTEST)}…` : text}`;
}
