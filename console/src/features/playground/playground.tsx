import { Card, Group, NumberInput, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { formatCredits } from '../../ui/format';
import { Waiting } from '../../ui/states';
import type { ListingDetail } from '../listings/agent-code';
import { exampleOf, examplesOf } from '../listings/agent-code';
import { ceilingOf, priceText } from '../listings/price';
import { Result } from './result';
import { ExampleSelect } from './example-select';
import { RunButton } from './run-button';
import { draftOf } from './draft';
import { useRun } from './use-run';

const InputForm = lazy(() => import('./input-form'));
const JsonEditor = lazy(() => import('./json-editor'));
const FORM = 'agent-input';

/** Tries an agent: input by form or as JSON, the price before the call, the answer and its receipt after it. */
export function Playground({ listing, isVisitor }: { listing: ListingDetail; isVisitor: boolean }) {
  const schema = listing.input_schema;
  const ceiling = ceilingOf(listing.pricing);
  const [view, setView] = useState(schema ? 'form' : 'json');
  const draft = draftOf(listing.agent_id);
  const [input, setInput] = useState(() => draft.read() ?? exampleOf(listing));
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const [maxCost, setMaxCost] = useState<string | number>(ceiling ?? '');
  const { run, start, stop } = useRun();
  const parsed = parse(text);
  const streams = listing.capabilities.streaming === true && Array.isArray(input['messages']);
  const submit = (value: Record<string, unknown>) => {
    draft.forget();
    void start({
      agentId: listing.agent_id,
      input: value,
      maxCost: maxCost === '' ? undefined : Number(maxCost),
      streams,
    });
  };
  const update = (value: Record<string, unknown>) => {
    setInput(value);
    setText(JSON.stringify(value, null, 2));
  };
  const change = (next: string) => {
    setText(next);
    const value = parse(next);
    if (value) setInput(value);
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card withBorder padding="md">
        <Stack gap="md">
          <Group justify="space-between">
            <Text fw={600} component="h2" m={0}>
              Input
            </Text>
            {schema && (
              <SegmentedControl
                size="xs"
                value={view}
                onChange={setView}
                data={[
                  { value: 'form', label: 'Form' },
                  { value: 'json', label: 'JSON' },
                ]}
                aria-label="View of the input"
              />
            )}
          </Group>
          <ExampleSelect examples={examplesOf(listing)} onChoose={update} />
          <Suspense fallback={<Waiting lines={3} />}>
            {view === 'form' && schema ? (
              <InputForm id={FORM} schema={schema} value={input} onChange={update} onSubmit={submit} />
            ) : (
              <form
                id={FORM}
                onSubmit={(event) => {
                  event.preventDefault();
                  if (parsed) submit(parsed);
                }}
              >
                <JsonEditor label="Input as JSON" value={text} onChange={change} />
                {!parsed && (
                  <Text c="red" fz="sm" mt={4} role="alert">
                    This is not a JSON object yet.
                  </Text>
                )}
              </form>
            )}
          </Suspense>
          <NumberInput
            label="Most that this call may cost"
            description={`The price is ${priceText(listing.pricing)}. A call that would cost more is refused and costs nothing.`}
            value={maxCost}
            onChange={setMaxCost}
            min={0}
            max={100_000}
            suffix=" credits"
            hideControls
          />
          <RunButton
            form={FORM}
            isVisitor={isVisitor}
            agentId={listing.agent_id}
            onLeave={() => draft.keep(input)}
            isRunning={run.state === 'running' || run.state === 'checking'}
            disabled={!parsed && view === 'json'}
            stop={streams ? stop : undefined}
          >
            Run
            {ceiling !== undefined &&
              ` for ${listing.pricing.model === 'per_call' ? '' : 'up to '}${formatCredits(ceiling)} ${ceiling === 1 ? 'credit' : 'credits'}`}
          </RunButton>
        </Stack>
      </Card>
      <Result run={run} />
    </SimpleGrid>
  );
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
