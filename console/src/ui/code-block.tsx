import { Box } from '@mantine/core';
import { CopyIcon } from './id';

/** Text in fixed width that can be copied and scrolls by keyboard. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <Box className="code-block">
      <Box className="code-copy">
        <CopyIcon value={text} label={`Copy ${label}`} />
      </Box>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </Box>
  );
}

/** A value as indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <CodeBlock text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} label={label} />
  );
}
