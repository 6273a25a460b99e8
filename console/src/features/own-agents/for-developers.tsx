import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery, type Profile } from '../../client/session';
import { LoginWay } from '../../ui/login-way';
import { Page } from '../../ui/page';
import { Empty, Waiting } from '../../ui/states';
import { StartSelling } from './start-selling';

interface ForDevelopersProps {
  /** The title of the page. */
  title: string;
  children: (profile: Profile) => ReactNode;
}

/** A page about publishing, for developers; for a buyer the way to begin, for a visitor the login. */
export function ForDevelopers({ title, children }: ForDevelopersProps) {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <Waiting />;
  if (session.data?.role === 'buyer') return <StartSelling />;
  if (session.data) return <>{children(session.data)}</>;
  return (
    <Page title={title} subtitle="The marketplace verifies the agent before buyers find it.">
      <Empty
        title="Log in to publish"
        action={
          <Group gap="xs">
            <LoginWay />
          </Group>
        }
      >
        A developer account publishes agents. After the login you return to this page.
      </Empty>
    </Page>
  );
}
