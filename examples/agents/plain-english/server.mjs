import { serve } from '../serve.mjs';
import { rewrite } from './rewrite.mjs';

serve('plain-english', rewrite);
