import { Alert, Card, Text } from '@mantine/core';
import type { Answer } from '../../client/http';
import { CodeBlock } from '../../ui/code-block';
import { Facts, Section } from '../../ui/page';
import { Status } from '../../ui/status';
import { Time } from '../../ui/time';

type Ownership = NonNullable<Answer<'/v1/developer/agents/{agent_id}', 'get'>['ownership']>;

const METHODS: Record<NonNullable<Ownership['method']>, string> = {
  challenge: 'Signed answer to a challenge',
  file: 'File',
  dns: 'DNS record',
  header: 'Header',
  loopback: 'This machine, which needs no proof',
};

/** Whether the host of the endpoint is proven to be the developer's, and how to prove it. */
export function Host({ ownership }: { ownership: Ownership }) {
  const { host, status, method, proven_at: since, checked_at: checked } = ownership;
  return (
    <Section title="Host">
      <Card withBorder>
        <Facts
          rows={[
            [
              'Host',
              <code key="h" dir="auto">
                {host}
              </code>,
            ],
            ['Ownership', <Status key="s" value={status} />],
            method !== null && ['Proof', METHODS[method]],
            since !== null && ['Proven', <Time key="p" at={since} />],
            checked !== null && ['Last found', <Time key="c" at={checked} />],
          ]}
        />
        {status === 'unproven' && <Proofs ownership={ownership} />}
      </Card>
    </Section>
  );
}

function Proofs({ ownership }: { ownership: Ownership }) {
  const { token, file_url: file, dns_name: dns, header, challenge_url: challenge } = ownership;
  return (
    <Alert color="orange" variant="light" mt="md" title="Prove that the host is yours">
      <Text fz="sm">
        Verification calls the host no more, and the agent gets no badge. Do one of these, then verify again:
      </Text>
      <ul className="problems">
        {challenge !== null && (
          <li>
            Answer the signed challenge at <code dir="auto">{challenge}</code>
          </li>
        )}
        <li>
          Serve the file <code dir="auto">{file}</code> with the token on a line
        </li>
        {dns !== null && (
          <li>
            Set a TXT record of <code dir="auto">{dns}</code> to the token
          </li>
        )}
        <li>
          Answer GET at the endpoint with the header <code>{header}</code> and the token
        </li>
      </ul>
      <CodeBlock text={token} label="the token" />
    </Alert>
  );
}
