import { serve } from '../serve.mjs';
import { findFactors, requireNumbers } from './factors.mjs';
import { asJob } from './jobs.mjs';

const answer = asJob(findFactors);
const work = (input, headers) => {
  requireNumbers(input);
  return answer(input, headers);
};

serve('factor-finder', work, { takesJobs: true });
