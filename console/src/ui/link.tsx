import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Target {
  to: string;
  onClick?: () => void;
  search?: Record<string, string>;
  /** What the link is about, where its words do not say it. */
  title?: string;
  /** The part of the page to show, such as `address`. */
  hash?: string;
  children: ReactNode;
}

/** A link to another page of the console. */
export function AppLink({ to, search, ...props }: Target & AnchorProps) {
  return <Anchor component={Link} to={to} search={search as never} inherit {...props} />;
}

/** A link that looks like a button. */
export function LinkButton({ to, search, ...props }: Target & ButtonProps) {
  return <Button component={Link} to={to} search={search as never} {...props} />;
}
