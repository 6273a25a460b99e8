import { Alert, Button, Card, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { ApiError, send } from '../../client/http';
import { noteFailure } from '../../client/queries';
import { FailedChange } from '../../ui/lost-answer';
import { Section } from '../../ui/page';
import { plainProblem } from '../../ui/plain-words';
import { Waiting } from '../../ui/states';
import { Time } from '../../ui/time';
import type { CallDetail } from './call-steps';

type Question = NonNullable<NonNullable<CallDetail['job']>['question']>;

const InputForm = lazy(() => import('../playground/input-form'));
const FORM = 'answer-to-agent';
const PLACE = ['body', 'input'];

/** What the agent of a running job asks the buyer, or that the answer was sent. */
export function AgentQuestion({ call: { invocation_id: id, job } }: { call: CallDetail }) {
  const [answered, setAnswered] = useState<string>();
  const question = job?.question;
  if (question && question.question_id !== answered)
    return (
      <QuestionCard
        key={question.question_id}
        callId={id}
        question={question}
        isPaidInParts={job.milestones.length > 0}
        onAnswered={() => setAnswered(question.question_id)}
      />
    );
  if (answered === undefined) return null;
  return (
    <Alert color="green" variant="light" role="status" title="Your answer was sent">
      The agent goes on with its work. This page shows how far it is.
    </Alert>
  );
}

interface QuestionProps {
  callId: string;
  question: Question;
  /** The agent has reached milestones, which are charged in any case. */
  isPaidInParts: boolean;
  onAnswered: () => void;
}

function QuestionCard({ callId, question, isPaidInParts, onAnswered }: QuestionProps) {
  const [input, setInput] = useState<Record<string, unknown>>({});
  const answer = useAnswer(callId, question, onAnswered);
  const { problems, fields } = useMemo(() => problemsOf(answer.error), [answer.error]);
  const cost = isPaidInParts ? 'only the milestones that were reached are charged' : 'nothing is charged';
  return (
    <Section
      title="The agent asks you"
      note={
        <>
          Answer until <Time at={question.expires_at} />. Without an answer, the call ends then, and {cost}.
        </>
      }
    >
      <Card withBorder padding="lg">
        <Stack gap="md">
          <Text className="stream" dir="auto">
            {question.prompt}
          </Text>
          <Suspense fallback={<Waiting lines={2} />}>
            <InputForm
              id={FORM}
              schema={question.schema}
              value={input}
              onChange={setInput}
              onSubmit={(value) => !answer.isPending && answer.mutate(value)}
              {...(problems && { problems })}
            />
          </Suspense>
          {answer.isError && <FailedChange error={answer.error} fields={fields} />}
          <Group>
            <Button type="submit" form={FORM} loading={answer.isPending}>
              Send the answer
            </Button>
          </Group>
        </Stack>
      </Card>
    </Section>
  );
}

function useAnswer(callId: string, { question_id: questionId }: Question, onAnswered: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Record<string, unknown>) =>
      send('post', '/v1/invocations/{invocation_id}/input', {
        path: { invocation_id: callId },
        body: { question_id: questionId, input },
      }),
    onSuccess: () => {
      onAnswered();
      return queries.invalidateQueries();
    },
    onError: noteFailure,
  });
}

/** The problems of the fields of an answer by their names, and the paths of these fields in the request. */
function problemsOf(error: unknown): { problems?: Record<string, string>; fields: string[] } {
  const detail = error instanceof ApiError ? error.detail : [];
  const own = detail.filter(({ loc }) => loc.length === 3 && PLACE.every((part, at) => loc[at] === part));
  if (own.length === 0) return { fields: [] };
  return {
    problems: Object.fromEntries(own.map(({ loc, msg }) => [String(loc[2]), plainProblem(msg)])),
    fields: own.map(({ loc }) => `input.${loc[2]}`),
  };
}
