import { Alert, Button, Card, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { send } from '../client/http';
import { forgetMailToken } from '../features/account/mail-token';
import { TokenPage } from '../features/account/token-page';
import { Id } from '../ui/id';
import { useSearchValue } from '../ui/params';
import { Failure } from '../ui/states';

const PAGE = 'confirm-deletion';
const ORGANISATION = /^(?:usr|org)_[0-9a-f]{32}$/;

/** Needs no session: who asked for the deletion may have none any more. */
export function ConfirmDeletionPage() {
  const named = useSearchValue('organisation') ?? '';
  const orgId = ORGANISATION.test(named) ? named : undefined;
  return (
    <TokenPage page={PAGE} title={orgId === undefined ? 'Delete your account' : 'Delete your organisation'}>
      {(token) => <Confirm token={token} orgId={orgId} />}
    </TokenPage>
  );
}

function Confirm({ token, orgId }: { token: string; orgId: string | undefined }) {
  const confirm = useMutation({
    mutationFn: () => send('post', '/v1/account/delete/confirm', { body: { token } }),
    onSuccess: () => forgetMailToken(PAGE),
  });
  if (confirm.isSuccess)
    return (
      <Alert color="green" variant="light" title="The deletion is confirmed" role="status">
        <Text fz="sm">
          The {orgId === undefined ? 'account' : 'organisation'} is erased as soon as nothing blocks it.
        </Text>
      </Alert>
    );
  return (
    <Card withBorder padding="lg">
      <Stack>
        {orgId !== undefined && (
          <Text fz="sm">
            This deletes the organisation <Id value={orgId} />, not your own account. Its members lose access
            and keep their accounts.
          </Text>
        )}
        <Text fz="sm">
          Keys end, agents retire, and what names {orgId === undefined ? 'you' : 'it'} is erased. This cannot
          be undone. Receipts and invoices stay as the law requires, with a pseudonym.
        </Text>
        {confirm.isError && <Failure error={confirm.error} />}
        <Button color="red" onClick={() => confirm.mutate()} loading={confirm.isPending}>
          Delete the {orgId === undefined ? 'account' : 'organisation'} for good
        </Button>
      </Stack>
    </Card>
  );
}
