import { NumberInput, Select, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { send } from '../../client/http';
import { get } from '../../client/queries';
import { Ask } from '../../ui/ask';
import { creditsText } from '../../ui/format';
import { Credits } from '../../ui/money';

const CALL = /inv_[0-9a-f]{32}/g;
const REFUNDS = [
  { value: 'affected', label: 'The buyers of the calls' },
  { value: 'none', label: 'Nobody: a penalty for the platform' },
];

interface StartSlashProps {
  agentId: string;
  developerUserId: string;
  calls?: string;
}

/** Takes an amount from the bond of an agent's developer, for calls that the failure affected. */
export function StartSlash({ agentId, developerUserId, calls = '' }: StartSlashProps) {
  const [credits, setCredits] = useState<string | number>('');
  const [text, setText] = useState(calls);
  const [refund, setRefund] = useState('affected');
  const [evidence, setEvidence] = useState('');
  const key = useRef(crypto.randomUUID());
  const ids = [...new Set(text.match(CALL) ?? [])];
  return (
    <Ask
      action="Slash the bond"
      confirm={Number(credits) > 0 ? `Slash ${creditsText(Number(credits))}` : 'Slash the bond'}
      danger
      question="The amount leaves the bond at once. The developer has seven days to contest; otherwise it becomes final."
      reason="Explanation, which the developer reads"
      done="The bond is slashed."
      ready={Number(credits) > 0 && ids.length > 0}
      fields={
        <>
          <NumberInput
            label="Credits"
            description={<Bond userId={developerUserId} />}
            value={credits}
            onChange={setCredits}
            min={0.01}
            decimalScale={2}
            required
            data-autofocus
          />
          <Textarea
            label="Calls that the failure affected"
            description={`Ids, one in each line. ${ids.length} recognized.`}
            placeholder="inv_…"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={2}
            maxRows={8}
            required
          />
          <Select
            label="Who gets the amount"
            data={REFUNDS}
            value={refund}
            onChange={(value) => value && setRefund(value)}
            allowDeselect={false}
          />
          <Textarea
            label="Evidence"
            description="What supports it: hashes, ids or excerpts."
            value={evidence}
            onChange={(event) => setEvidence(event.currentTarget.value)}
            autosize
            minRows={2}
            dir="auto"
          />
        </>
      }
      run={async (explanation) => {
        // The same key until it is known that the slash was applied: a repeated request takes nothing more.
        const slash = await send('post', '/v1/operator/slashes', {
          headers: { 'idempotency-key': key.current },
          body: {
            agent_id: agentId,
            credits: Number(credits),
            refund: refund as 'affected' | 'none',
            explanation,
            evidence: evidence === '' ? {} : { text: evidence },
            invocation_ids: ids,
          },
        });
        key.current = crypto.randomUUID();
        setCredits('');
        setText(calls);
        setEvidence('');
        return slash;
      }}
    />
  );
}

/** What the bond has; read when the dialog opens. */
function Bond({ userId }: { userId: string }) {
  const account = useQuery(get('/v1/operator/accounts/{user_id}', { path: { user_id: userId } }));
  return (
    account.data && (
      <>
        The bond has <Credits value={account.data.balances.bond_credits} />. A slash takes at most that.
      </>
    )
  );
}
