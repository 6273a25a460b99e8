import { Alert, Button, Card, Center, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../client/http';
import { forgetMailToken, takeMailToken } from '../features/account/mail-token';
import { Page } from '../ui/page';
import { Empty, Failure } from '../ui/states';

const PAGE = 'confirm-deletion';

/** Where the second mail of a deletion leads. It needs no session; only the button uses the token up. */
export function ConfirmDeletionPage() {
  const [token] = useState(() => takeMailToken(PAGE));
  return (
    <Center>
      <Stack w="100%" maw={480}>
        <Page title="Delete your account">
          {token === undefined ? (
            <Empty title="This link has no token">
              The link of the mail ends with # and a token. Copy the whole link.
            </Empty>
          ) : (
            <Confirm token={token} />
          )}
        </Page>
      </Stack>
    </Center>
  );
}

function Confirm({ token }: { token: string }) {
  const confirm = useMutation({
    mutationFn: () => send('post', '/v1/account/delete/confirm', { body: { token } }),
    onSuccess: () => forgetMailToken(PAGE),
  });
  if (confirm.isSuccess)
    return (
      <Alert color="green" variant="light" title="The deletion is confirmed" role="status">
        <Text fz="sm">The account is erased as soon as nothing blocks it.</Text>
      </Alert>
    );
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Text fz="sm">
          Keys end, agents retire, and what names you is erased. This cannot be undone. Receipts and invoices
          stay as the law requires, with a pseudonym.
        </Text>
        {confirm.isError && <Failure error={confirm.error} />}
        <Button color="red" onClick={() => confirm.mutate()} loading={confirm.isPending}>
          Delete the account for good
        </Button>
      </Stack>
    </Card>
  );
}
