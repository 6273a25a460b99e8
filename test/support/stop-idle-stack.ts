import { stopIdleStack } from './stack/stack';

/** After jest: stops the shared stack when a run that was cut off left it behind. */
void stopIdleStack();
