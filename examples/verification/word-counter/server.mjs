import { serve } from '../../agents/serve.mjs';
import { work } from './work.mjs';

serve('word-counter', work);
