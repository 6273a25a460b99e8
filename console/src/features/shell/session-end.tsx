import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { setSessionEndListener } from '../../client/queries';
import { onOtherLogin, sessionQuery, type Profile } from '../../client/session';

/** Loaded when a session ends, so that the first page stays small. */
const Dialog = lazy(async () => ({ default: (await import('./session-end-dialog')).SessionEndDialog }));

/** Asks for the password when the session has ended, and leaves the page and its forms as they were. */
export function SessionEnd() {
  const queries = useQueryClient();
  const [ended, setEnded] = useState<Profile>();
  const [wasEnded, setWasEnded] = useState(false);
  useEffect(() => {
    setSessionEndListener(() => {
      const profile = queries.getQueryData(sessionQuery.queryKey);
      if (!profile) return;
      setWasEnded(true);
      setEnded(profile);
    });
  }, [queries]);
  useEffect(() => onOtherLogin(() => setEnded(undefined)), []);
  return (
    <Suspense fallback={null}>
      {wasEnded && <Dialog ended={ended} onDone={() => setEnded(undefined)} />}
    </Suspense>
  );
}
