import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../../client/session';
import { homeOf } from './home-of';

/** Leaves a page that is for visitors when a person who is logged in opens it. */
export function useLeaveIfLoggedIn(next: string | undefined): void {
  const navigate = useNavigate();
  const profile = useQuery(sessionQuery).data;
  const isVisitor = useRef(false);
  useEffect(() => {
    if (profile === null) isVisitor.current = true;
    // A visitor who logs in on this page is led on by its form.
    if (profile && !isVisitor.current) void navigate({ to: homeOf(profile, next), replace: true });
  }, [profile, next, navigate]);
}
