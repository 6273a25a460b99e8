import { Alert, Button, Card, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../client/http';
import { forgetMailToken } from '../features/account/mail-token';
import { TokenPage } from '../features/account/token-page';
import { Failure } from '../ui/states';

const PAGE = 'confirm-deletion';

/** Needs no session: who asked for the deletion may have none any more. */
export function ConfirmDeletionPage() {
  return (
    <TokenPage page={PAGE} title="Delete your account">
      {(token) => <Confirm token={token} />}
    </TokenPage>
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
