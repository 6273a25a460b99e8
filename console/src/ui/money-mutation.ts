import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isOutcomeOpen, keyOf, untilKnown } from '../client/outcome';
import { noteFailure } from '../client/queries';

interface MoneyMutation<B, T> {
  /** Names the button: a lost request keeps its key there. */
  place: string;
  body: B;
  send: (body: B, headers: { 'Idempotency-Key': string }) => Promise<T>;
  onSuccess?: (answer: T) => void;
}

/**
 * A mutation that moves money. While its answer is lost, `isChecking` is true, and the request is sent again with the
 * same key until the outcome is known. Everything on the page is read again afterwards.
 */
export function useMoneyMutation<B, T>({ place, body, send, onSuccess }: MoneyMutation<B, T>) {
  const queries = useQueryClient();
  const [isChecking, setChecking] = useState(false);
  const mutation = useMutation({
    mutationFn: async () => {
      const { key, forget } = keyOf(place, body);
      try {
        const answer = await untilKnown(() => send(body, { 'Idempotency-Key': key }), {
          onDoubt: (error) => {
            noteFailure(error);
            setChecking(true);
          },
        });
        forget();
        return answer;
      } catch (error) {
        if (!isOutcomeOpen(error)) forget();
        throw error;
      } finally {
        setChecking(false);
      }
    },
    onSuccess: (answer) => onSuccess?.(answer),
    onSettled: () => queries.invalidateQueries(),
  });
  const isBusy = useRef(false);
  /** A second click while the first is under way does nothing. */
  const mutate = () => {
    if (isBusy.current) return;
    isBusy.current = true;
    mutation.mutate(undefined, { onSettled: () => (isBusy.current = false) });
  };
  return { ...mutation, mutate, isChecking };
}
