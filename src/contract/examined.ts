import { Type } from '@sinclair/typebox';
import { strictObject } from './common';

/** What a verification examined of the behaviour of an agent. */
export const Examined = strictObject(
  {
    answers_checked: Type.Integer({ minimum: 0 }),
    answers_right: Type.Integer({ minimum: 0 }),
    text: Type.String({ examples: ['24 answers checked, 24 right'] }),
  },
  {
    description:
      'What the run examined of the behaviour: without a right answer there are no points for it and no badge. ' +
      'Null in reports by rubrics before 2026.2',
  },
);
