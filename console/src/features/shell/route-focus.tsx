import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const SETTLED_MS = 250;
const MOST_TRIES = 8;

/**
 * After a change of page, moves the focus to its heading, so that the keyboard goes on from there, and announces the
 * page's name. The first page keeps the focus of the browser, and so does a field that the page itself has focused.
 */
export function RouteFocus() {
  // The page of the address before its code is here is the page before.
  const pathname = useRouterState({
    select: ({ location, resolvedLocation }) => (resolvedLocation ?? location).pathname,
  });
  const before = useRef(pathname);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (before.current === pathname) return undefined;
    before.current = pathname;
    let tries = 0;
    const timer = setInterval(() => {
      const { activeElement: active } = document;
      tries += 1;
      // A dialogue that led here is still closing.
      if (active?.closest('[role=dialog]') && tries < MOST_TRIES) return;
      clearInterval(timer);
      setSaid(document.title.replace(' · Agent marketplace', ''));
      const main = document.getElementById('content');
      if (main?.contains(active) && active?.matches('input, textarea')) return;
      const heading = main?.querySelector<HTMLElement>('h1') ?? main;
      heading?.setAttribute('tabindex', '-1');
      heading?.focus({ preventScroll: true });
    }, SETTLED_MS);
    return () => clearInterval(timer);
  }, [pathname]);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-label="Page">
      {said}
    </div>
  );
}
