import { serve } from '../serve.mjs';
import { convertUnits } from './convert-units.mjs';

serve('unit-converter', convertUnits);
