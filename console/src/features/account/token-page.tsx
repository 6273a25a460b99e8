import { Card, Center, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sessionQuery, type Profile } from '../../client/session';
import { LinkButton } from '../../ui/link';
import { Page } from '../../ui/page';
import { Empty, Waiting } from '../../ui/states';
import { takeMailToken } from './mail-token';

interface TokenPageProps {
  /** The name of the page in the link of the mail. */
  page: string;
  title: string;
  /** How to get another mail, where one can be had. */
  another?: { words: string; action?: ReactNode };
  children: (token: string) => ReactNode;
}

/** Where the link of a mail leads. Only a button uses the token up: programs that open links of mails press none. */
export function TokenPage({ page, title, another, children }: TokenPageProps) {
  const [token] = useState(() => takeMailToken(page));
  return (
    <Center>
      <Stack w="100%" maw={480}>
        <Page title={title}>
          {token === undefined ? (
            <Empty title="This link has no token" action={another?.action}>
              The link of the mail ends with # and a token. Copy the whole link{another?.words}.
            </Empty>
          ) : (
            children(token)
          )}
        </Page>
      </Stack>
    </Center>
  );
}

interface WithSessionProps {
  page: string;
  /** What to do, for a visitor who has not logged in. */
  words: string;
  children: (profile: Profile) => ReactNode;
}

/** Asks a visitor to log in first, and returns to the page afterwards. */
export function WithSession({ page, words, children }: WithSessionProps) {
  const session = useQuery(sessionQuery);
  if (session.isPending) return <Waiting lines={1} />;
  if (session.data) return children(session.data);
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text fz="sm">{words}</Text>
        <LinkButton to="/login" search={{ next: `/${page}` }}>
          Log in
        </LinkButton>
      </Stack>
    </Card>
  );
}
