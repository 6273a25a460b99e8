import { serve } from '../serve.mjs';
import { audit } from './audit.mjs';

serve('identifier-audit', audit);
