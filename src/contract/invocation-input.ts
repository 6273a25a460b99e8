import { Type } from '@sinclair/typebox';
import { QUESTION_ID_PATTERN } from '../domain/jobs/question';
import { strictObject, text } from './common';
import { InvocationDetail, InvocationId } from './invocations';
import { defineOperation } from './operation';

const MAX_INPUT_BYTES = 64 * 1024;

/** Answers the question that the agent of a job has asked (ADR 0306). */
export const answerInvocation = defineOperation({
  id: 'answerInvocation',
  method: 'post',
  path: '/v1/invocations/{invocation_id}/input',
  tag: 'Invocation',
  summary: 'Answer a question of an agent about one of your calls',
  description:
    'The agent of a job asks by `job.question` of the call. The answer must match its schema. It is delivered to the ' +
    'agent, and the clock of the job goes on. The same answer again changes nothing. 409 if no such question is open, or ' +
    'another answer was given before.',
  auth: { scope: 'agents:invoke' },
  params: strictObject({ invocation_id: InvocationId }),
  bodyLimitBytes: MAX_INPUT_BYTES,
  body: strictObject({
    question_id: text({
      maxLength: 64,
      pattern: QUESTION_ID_PATTERN,
      description: 'The question that is answered: `job.question.question_id` of the call',
    }),
    input: Type.Unknown({ description: 'The answer: an object that the schema of the question accepts' }),
  }),
  responses: { 200: InvocationDetail },
  errors: ['not_found', 'invalid_state'],
  examples: {
    request: { question_id: 'qst_9f86d081884c7d659a2feaa0c55ad015', input: { format: 'pdf', pages: 12 } },
  },
});

export const invocationInputOperations = [answerInvocation];
