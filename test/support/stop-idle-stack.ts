import { stopIdleStack } from './stack';

/** After jest: stops the shared stack when a run that was cut off left it behind. */
void stopIdleStack();
