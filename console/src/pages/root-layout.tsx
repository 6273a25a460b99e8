import { Outlet } from '@tanstack/react-router';
import { LiveUpdates } from '../features/shell/live-updates';
import { SessionEnd } from '../features/shell/session-end';
import { Shell } from '../features/shell/shell';

export function RootLayout() {
  return (
    <Shell>
      <Outlet />
      <SessionEnd />
      <LiveUpdates />
    </Shell>
  );
}
