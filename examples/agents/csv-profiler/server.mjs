import { serve } from '../serve.mjs';
import { profileCsv } from './profile.mjs';

serve('csv-profiler', profileCsv);
