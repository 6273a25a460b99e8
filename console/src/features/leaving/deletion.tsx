import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { send, type Answer } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { isolated } from '../../ui/isolated';
import { plainMessage } from '../../ui/plain-words';
import { QueryView } from '../../ui/query-view';
import { Time } from '../../ui/time';
import { Written } from '../../ui/written';
import { deletionText, isUnderWay, titleOf } from './deletion-text';
import { RequestDeletion } from './request-deletion';

const PATH = '/v1/account/delete';
type Deletion = Answer<typeof PATH, 'get'>;

interface Named {
  /** The organisation that is deleted; undefined for the account of the person. */
  organisation: string | undefined;
}

/** A deletion: what blocks it, asking for it, where it stands, and taking it back. */
export function Deletion({ organisation }: Named) {
  const query = useQuery(get(PATH));
  return (
    <Stack gap="sm">
      <Title order={3} dir="auto">
        {titleOf(organisation)}
      </Title>
      <QueryView query={query}>
        {(found) =>
          found.deletion && isUnderWay(found.deletion.status) ? (
            <UnderWay deletion={found.deletion} organisation={organisation} />
          ) : (
            <Request blocks={found.blocked_by} organisation={organisation} />
          )
        }
      </QueryView>
    </Stack>
  );
}

interface UnderWayProps extends Named {
  deletion: NonNullable<Deletion['deletion']>;
}

function UnderWay({ deletion, organisation }: UnderWayProps) {
  const { status, requested_at: at, blocked_by: blocks } = deletion;
  return (
    <Alert color="yellow" variant="light" title={`A deletion is ${status}`}>
      <Text fz="sm" component="div">
        Asked for <Time at={at} />. {deletionText(deletion)}
        {status === 'requested' && (
          <>
            {' '}
            On <Time at={deletion.confirm_from} /> a mail asks for the confirmation.
          </>
        )}
      </Text>
      {blocks.length > 0 && (
        <Text fz="sm" mt={6}>
          It waits for: {blocks.map((code) => code.replaceAll('_', ' ')).join(', ')}.
        </Text>
      )}
      {status !== 'erasing' && (
        <Group mt="sm">
          <Ask
            action="Take it back"
            question={`${organisation === undefined ? 'Your account' : isolated(organisation)} stays, with everything that it has.`}
            done="The deletion is taken back."
            run={() => send('delete', PATH)}
          />
        </Group>
      )}
    </Alert>
  );
}

/** Credits can be given up; everything else must end first. */
const FORFEITED = 'wallet';

interface RequestProps extends Named {
  blocks: Deletion['blocked_by'];
}

function Request({ blocks, organisation }: RequestProps) {
  const others = blocks.filter(({ code }) => code !== FORFEITED);
  const hasCredits = others.length < blocks.length;
  return (
    <Stack gap="sm">
      <Text fz="sm" maw={640}>
        {organisation !== undefined && (
          <>
            This deletes the organisation <Written>{organisation}</Written>, not your account. Members lose
            access, and keep their accounts.{' '}
          </>
        )}
        Keys end, agents retire, and personal data is erased. Receipts and invoices stay as the law requires,
        with a pseudonym. After 14 days a mail asks for the confirmation; nothing is deleted before it.
      </Text>
      {others.length > 0 && (
        <Alert color="gray" variant="light" title="What blocks it now">
          <ul className="problems">
            {others.map(({ code, message }) => (
              <li key={code}>{plainMessage(code, message)}</li>
            ))}
          </ul>
        </Alert>
      )}
      {hasCredits && (
        <Text fz="sm">
          {organisation === undefined ? 'Your wallet' : 'The wallet'} has credits. Spend them, ask for a
          refund, or give them up with the deletion.
        </Text>
      )}
      {others.length === 0 && <RequestDeletion hasCredits={hasCredits} title={titleOf(organisation)} />}
    </Stack>
  );
}
