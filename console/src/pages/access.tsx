import { useState } from 'react';
import { AskForAccess } from '../features/access/ask-for-access';
import { SentRequests, WaitingRequests } from '../features/access/requests';
import { forgetMailToken, takeMailToken } from '../features/account/mail-token';
import { WithSession } from '../features/account/token-page';
import { Permitted, useOwner } from '../ui/owner';
import { Page } from '../ui/page';

const PAGE = 'access';

/**
 * Requests for access to private agents: the one of the link that led here, those that wait for the decision of the
 * developer, and those that the account sent.
 */
export function AccessPage() {
  const [token] = useState(() => takeMailToken(PAGE));
  const role = useOwner()?.role;
  return (
    <Page
      title="Access requests"
      subtitle="Private agents are seen by the accounts that their developers choose."
    >
      <WithSession
        page={PAGE}
        words="Log in to ask for access, or to see requests. Then you return to this page."
      >
        {(profile) => (
          <>
            {token !== undefined && (
              <Permitted needs="call">
                <AskForAccess token={token} profile={profile} onEnd={() => forgetMailToken(PAGE)} />
              </Permitted>
            )}
            {role === 'developer' && (
              <Permitted needs="agents" quiet>
                <WaitingRequests />
              </Permitted>
            )}
            <SentRequests />
          </>
        )}
      </WithSession>
    </Page>
  );
}
