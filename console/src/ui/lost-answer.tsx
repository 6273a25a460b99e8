import { Alert, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../client/http';
import { isOutcomeOpen } from '../client/outcome';
import { Failure } from './states';

/** The answer to a request that moves money was lost: it is asked for again, and nothing is said before it is known. */
export function Checking({ children }: { children: ReactNode }) {
  return (
    <Alert color="yellow" variant="light" icon={<Loader size="xs" />} title="We are checking" role="status">
      <Text fz="sm">The answer was lost, so we do not know yet what happened. {children}</Text>
    </Alert>
  );
}

/**
 * The failure of a change. When its answer was lost, it says that the change may have happened: the page is read again.
 */
export function FailedChange({ error, fields }: { error: unknown; fields?: readonly string[] }) {
  const isLost = isOutcomeOpen(error) && !(error instanceof ApiError && error.code === 'outcome_unknown');
  return (
    <>
      <Failure error={error} {...(fields && { fields })} />
      {isLost && (
        <Text fz="sm" c="dimmed">
          We do not know whether this was done. The page has been read again: look at it before you try again.
        </Text>
      )}
    </>
  );
}
