import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Profile } from '../../client/session';
import { LoginWay } from '../../ui/login-way';
import { NotPermitted, useMay, useOwner } from '../../ui/owner';
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
  const owner = useOwner();
  const may = useMay('agents');
  if (owner === undefined) return <Waiting />;
  if (owner && !may)
    return (
      <Page title={title}>
        <NotPermitted needs="agents" />
      </Page>
    );
  if (owner?.role === 'buyer') return <StartSelling />;
  if (owner) return <>{children(owner)}</>;
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
