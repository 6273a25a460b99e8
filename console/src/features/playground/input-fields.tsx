import { Group, SegmentedControl, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Waiting } from '../../ui/states';
import { examplesOf } from '../listings/examples';
import { ChatForm } from './chat-form';
import { writtenMessages } from './conversation';
import { ExampleSelect } from './example-select';
import { HiddenFields } from './hidden-fields';
import type { InputFieldsProps, InputView } from './use-input';

const InputForm = lazy(() => import('./input-form'));
const JsonInput = lazy(() => import('./json-input'));
const NAMES: Record<InputView, string> = { chat: 'Chat', form: 'Form', json: 'JSON' };

/** The input of a call: as a chat, as a form of the agent's schema, or as JSON. */
export function InputFields({ listing, state, form, onSubmit, problem }: InputFieldsProps) {
  const { view, views, setView, input, set } = state;
  return (
    <>
      <Group justify="space-between">
        <Text fw={600} component="h2" m={0}>
          Input
        </Text>
        {views.length > 1 && (
          <SegmentedControl
            size="xs"
            value={view}
            onChange={(next) => setView(next as InputView)}
            data={views.map((value) => ({ value, label: NAMES[value] }))}
            aria-label="View of the input"
          />
        )}
      </Group>
      <ExampleSelect examples={examplesOf(listing)} onChoose={set} />
      <Suspense fallback={<Waiting lines={3} />}>
        {view === 'chat' && (
          <ChatForm
            id={form}
            messages={writtenMessages(input)}
            onChange={(messages) => set({ ...input, messages })}
            onSubmit={() => onSubmit({ ...input, messages: writtenMessages(input) })}
            problem={problem}
          />
        )}
        {view === 'form' && listing.input_schema && (
          <>
            <InputForm
              id={form}
              schema={listing.input_schema}
              value={input}
              onChange={set}
              onSubmit={onSubmit}
            />
            <HiddenFields schema={listing.input_schema} input={input} onChange={set} />
          </>
        )}
        {view === 'json' && <JsonInput state={state} form={form} onSubmit={onSubmit} />}
      </Suspense>
    </>
  );
}
