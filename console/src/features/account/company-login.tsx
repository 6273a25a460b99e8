import { Button, Card, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addressOf } from '../../client/address';
import { LinkButton } from '../../ui/link';
import { useSearchValue } from '../../ui/params';

interface CompanyLoginProps {
  /** The page to return to. */
  next: string | undefined;
}

/** Leads to the identity provider of the company that has proven the domain of the address. */
export function CompanyLogin({ next }: CompanyLoginProps) {
  const isChosen = useSearchValue('company') !== undefined;
  const [email, setEmail] = useState('');
  if (!isChosen)
    return (
      <LinkButton
        to="/login"
        search={{ company: '1', ...(next !== undefined && { next }) }}
        variant="default"
      >
        Log in with your company
      </LinkButton>
    );
  return (
    <Card withBorder padding="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          location.assign(
            addressOf('/v1/auth/sso', {}, { email: email.trim(), return_to: `/console${next ?? '/'}` }),
          );
        }}
      >
        <Stack>
          <TextInput
            label="Your address at the company"
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            autoComplete="email"
            required
            autoFocus
          />
          <Text fz="sm" c="dimmed">
            The domain of the address leads to the sign-in of your company, if it has set one up here.
          </Text>
          <Button type="submit">Continue</Button>
        </Stack>
      </form>
    </Card>
  );
}
