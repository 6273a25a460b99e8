import { Anchor, Textarea } from '@mantine/core';
import { useState } from 'react';

/** The tests of an answer as their buyer writes them, for agents that take tests. */
export function useTests(isOffered: boolean) {
  const [text, setText] = useState('');
  const read = readTests(text);
  return { isOffered, text, setText, value: isOffered ? read.value : undefined, problem: read.problem };
}

function readTests(text: string): { value?: Record<string, unknown>; problem?: string } {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> };
  } catch {
    // Below.
  }
  return { problem: 'Write a JSON object with schema, assertions, or both.' };
}

/** The field for tests: the call is paid only if the answer passes them. */
export function TestsField({ tests: { text, setText, problem } }: { tests: ReturnType<typeof useTests> }) {
  return (
    <Textarea
      label="Tests of the answer (optional)"
      description={
        <>
          The call is paid only if the answer passes them.{' '}
          <Anchor href="/docs/acceptance" inherit>
            How to write tests
          </Anchor>
        </>
      }
      placeholder={'{"assertions": [{"pointer": "/total", "op": "gt", "value": 0}]}'}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      error={problem}
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
    />
  );
}
