import { serve } from '../../agents/serve.mjs';
import { work } from './work.mjs';

serve('order-desk', work);
