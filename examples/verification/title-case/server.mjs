import { serve } from '../../agents/serve.mjs';
import { work } from './work.mjs';

serve('title-case', work);
