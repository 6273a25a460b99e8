import { Card, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { creditsText } from '../../ui/format';
import { useMay, useOwnerWords } from '../../ui/owner';
import type { ListingDetail } from '../listings/agent-code';
import { messagesOf } from '../listings/examples';
import { FreeCalls, useFreeCalls } from '../listings/free-calls';
import type { Free } from '../listings/free-text';
import { ceilingOf, priceText, type Pricing } from '../listings/price';
import { nextTurn, textOfAnswer, writtenMessages } from './conversation';
import { InputFields } from './input-fields';
import { QuoteButton, useQuote } from './quote';
import { Result } from './result';
import { RunButton } from './run-button';
import { TestsField, useTests } from './tests-field';
import { useInput } from './use-input';
import { useRun } from './use-run';

const FORM = 'agent-input';

/** Tries an agent: the input, the price before the call, the answer and its receipt after it. */
export function Playground({ listing, isVisitor }: { listing: ListingDetail; isVisitor: boolean }) {
  const { agent_id: agentId, pricing } = listing;
  const ceiling = ceilingOf(pricing);
  const state = useInput(listing);
  const { view, input, draft, parsed } = state;
  const [maxCost, setMaxCost] = useState<string | number>(ceiling ?? '');
  const [problem, setProblem] = useState<string>();
  const { run, start, stop } = useRun();
  const quote = useQuote(agentId);
  const tests = useTests(listing.capabilities.accepts_tests === true);
  const free = useFreeCalls()(listing);
  const { fromWallet } = useOwnerWords();
  const mayCall = useMay('call');
  const streams = listing.capabilities.streaming === true && messagesOf(input) !== undefined;
  const submit = (value: Record<string, unknown>) => {
    const isEmpty = view === 'chat' && writtenMessages(value).at(-1)?.content.trim() === '';
    setProblem(isEmpty ? 'Write a message first.' : undefined);
    if (isEmpty || tests.problem !== undefined) return;
    draft.forget();
    // The form adds the defaults of the schema, which are then a part of the input.
    if (view === 'form') state.set(value);
    const most = maxCost === '' ? undefined : Number(maxCost);
    const isStream = listing.capabilities.streaming === true && messagesOf(value) !== undefined;
    void start({
      agentId,
      input: value,
      maxCost: most,
      streams: isStream,
      quoteId: isStream ? undefined : quote.spend(value),
      accept: tests.value,
    });
  };
  const { state: stage, input: sent, streamed, output } = run;
  // The answer becomes a part of the conversation, and the field is free for the next message.
  useEffect(() => {
    if (stage !== 'done' || view !== 'chat' || !sent) return;
    state.set(nextTurn(listing.input_schema, sent, textOfAnswer(streamed, output)));
  }, [stage, sent]);
  const isStale = view !== 'chat' && sent !== undefined && JSON.stringify(sent) !== JSON.stringify(input);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" className="top">
      <Card withBorder padding="md">
        <Stack gap="md">
          <InputFields listing={listing} state={state} form={FORM} onSubmit={submit} problem={problem} />
          <Ceiling pricing={pricing} value={maxCost} onChange={setMaxCost} />
          {tests.isOffered && <TestsField tests={tests} />}
          {!isVisitor && mayCall && !streams && parsed && <QuoteButton quote={quote} input={input} />}
          <RunButton
            form={FORM}
            isVisitor={isVisitor}
            agentId={agentId}
            onLeave={() => draft.keep(input)}
            isRunning={stage === 'running' || stage === 'checking'}
            disabled={!parsed && view === 'json'}
            stop={streams ? stop : undefined}
          >
            {runText(pricing, { free, chats: view === 'chat', fromWallet })}
          </RunButton>
          {free && (
            <Text fz="sm" mt={-8} role="status">
              <FreeCalls free={free} />.
            </Text>
          )}
        </Stack>
      </Card>
      <Result run={run} isStale={isStale} free={free} />
    </SimpleGrid>
  );
}

/** What the button does, with the amount. A metered call costs that much at most, and so does one that may be free. */
interface RunWords {
  free: Free | undefined;
  chats: boolean;
  /** Whose wallet pays, if it is not the reader's. */
  fromWallet: string;
}

function runText(pricing: Pricing, { free, chats, fromWallet }: RunWords): string {
  const verb = chats ? 'Send' : 'Run';
  const most = ceilingOf(pricing);
  if (most === undefined) return verb + fromWallet;
  if (free?.left !== undefined && free.left > 0) return `${verb} for free`;
  const isExact = pricing.model === 'per_call' && (free === undefined || free.left === 0);
  return `${verb} for ${isExact ? '' : 'at most '}${creditsText(most)}${fromWallet}`;
}

interface CeilingProps {
  pricing: Pricing;
  value: string | number;
  onChange: (value: string | number) => void;
}

function Ceiling({ pricing, value, onChange }: CeilingProps) {
  return (
    <NumberInput
      label="Most that this call may cost"
      description={`The price is ${priceText(pricing)}. A call that would cost more is refused and costs nothing.`}
      value={value}
      onChange={onChange}
      min={0}
      max={100_000}
      suffix={Number(value) === 1 ? ' credit' : ' credits'}
      hideControls
    />
  );
}
