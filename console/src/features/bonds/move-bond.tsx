import { Button, Card, Group, NumberInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../client/http';
import { get } from '../../client/queries';
import { FormModal } from '../../ui/form-modal';
import { formatCredits, formatDate } from '../../ui/format';
import { LinkButton } from '../../ui/link';
import { Credits } from '../../ui/money';
import { useMoneyMutation } from '../../ui/money-mutation';
import { Permitted, useOwnerWords } from '../../ui/owner';
import { Section } from '../../ui/page';

const NOTICE_DAYS = 30;
const DAY_MS = 86_400_000;

/** Deposits into the bond, or gives notice of a withdrawal. Both ask with the amount and what follows. */
export function MoveBond() {
  const [credits, setCredits] = useState<number | string>('');
  const [asked, setAsked] = useState<'deposit' | 'withdraw'>();
  const wallet = useQuery(get('/v1/billing/balance')).data?.available_credits;
  const words = useOwnerWords();
  const amount = Number(credits);
  const close = () => setAsked(undefined);
  const done = () => {
    close();
    setCredits('');
  };
  return (
    <Section
      title="Deposit or withdraw"
      note={`A deposit comes from ${words.wallet}. To get it back takes a notice of ${NOTICE_DAYS} days.`}
    >
      <Card withBorder>
        <Text fz="sm" mb="sm" component="div">
          In {words.wallet}: {wallet === undefined ? '…' : <Credits value={wallet} />}
        </Text>
        <Permitted needs="money">
          <Group align="flex-end">
            <NumberInput
              label="Credits"
              value={credits}
              onChange={setCredits}
              min={0}
              decimalScale={2}
              hideControls
              w={180}
            />
            <Button onClick={() => setAsked('deposit')} disabled={!(amount > 0)}>
              Deposit
            </Button>
            <Button variant="default" onClick={() => setAsked('withdraw')} disabled={!(amount > 0)}>
              Withdraw
            </Button>
          </Group>
        </Permitted>
      </Card>
      <Deposit credits={amount} wallet={wallet} opened={asked === 'deposit'} close={close} done={done} />
      <Withdraw credits={amount} opened={asked === 'withdraw'} close={close} done={done} />
    </Section>
  );
}

interface DialogProps {
  credits: number;
  opened: boolean;
  close: () => void;
  done: () => void;
}

/** The day on which a notice that is given now ends. */
const dayBack = () => formatDate(new Date(Date.now() + NOTICE_DAYS * DAY_MS).toISOString());

function Deposit({ credits, wallet, opened, close, done }: DialogProps & { wallet: number | undefined }) {
  const deposit = useMoneyMutation({
    place: 'bond-deposit',
    body: { credits },
    send: (body, headers) => send('post', '/v1/billing/developer/bond/deposit', { body, headers }),
    onSuccess: done,
  });
  const words = `${formatCredits(credits)} credits`;
  const owner = useOwnerWords();
  const isShort = wallet !== undefined && wallet < credits;
  return (
    <FormModal
      opened={opened}
      onClose={close}
      title="Deposit into the bond"
      action={`Deposit ${words}${owner.fromWallet}`}
      mutation={deposit}
      disabled={isShort}
    >
      <Text fz="sm">
        {words} are taken from {owner.wallet} now. If you gave notice today, you would have them back on{' '}
        {dayBack()}, less what operators slash.
      </Text>
      {isShort && (
        <Group gap="xs">
          <Text fz="sm" c="var(--mantine-color-error)">
            {owner.Wallet} has {formatCredits(wallet)} credits.
          </Text>
          <LinkButton
            to="/wallet"
            search={{ add: '1', next: '/developer/bond' }}
            size="compact-xs"
            variant="default"
          >
            Add credits
          </LinkButton>
        </Group>
      )}
    </FormModal>
  );
}

function Withdraw({ credits, opened, close, done }: DialogProps) {
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => send('post', '/v1/billing/developer/bond/withdraw', { body: { credits } }),
    onSuccess: () => {
      done();
      return queries.invalidateQueries();
    },
  });
  const words = `${formatCredits(credits)} credits`;
  const owner = useOwnerWords();
  return (
    <FormModal
      opened={opened}
      onClose={close}
      title="Withdraw from the bond"
      action={`Withdraw ${words}${owner.toWallet}`}
      mutation={withdraw}
    >
      <Text fz="sm">
        The notice begins now. On {dayBack()}, {owner.wallet} gets {words}, less what operators slash until
        then. Badges that need the bond may end now.
      </Text>
    </FormModal>
  );
}
