import { send } from '../../client/http';
import { Ask } from '../../ui/ask';
import type { OperatorAccount } from './customer';

/** What an operator does with an account: freeze the wallet, remove a lost app, make it an operator, and undo these. */
export function CustomerMoves({ account }: { account: OperatorAccount }) {
  const path = { user_id: account.user_id };
  return (
    <>
      {account.wallet_frozen ? (
        <Ask
          action="Unfreeze the wallet"
          question="The account can spend again."
          reason="Reason"
          done="The wallet is open."
          run={(reason) =>
            send('post', '/v1/operator/accounts/{user_id}/unfreeze', { path, body: { reason } })
          }
        />
      ) : (
        <Ask
          action="Freeze the wallet"
          danger
          question="The account can spend nothing until the wallet is unfrozen."
          reason="Reason"
          done="The wallet is frozen."
          run={(reason) => send('post', '/v1/operator/accounts/{user_id}/freeze', { path, body: { reason } })}
        />
      )}
      {account.second_factor && (
        <Ask
          action="Remove the authenticator app"
          danger
          question="For a person who lost the app and the recovery codes, and whom you identified. All sessions of the account end."
          reason="Reason"
          done="The authenticator app is removed."
          run={(reason) =>
            send('post', '/v1/operator/accounts/{user_id}/remove-authenticator', { path, body: { reason } })
          }
        />
      )}
      {account.role === 'buyer' && (
        <Ask
          action="Make an operator"
          question="The account can see and decide everything that you can."
          reason="Reason"
          done="The account is an operator."
          run={(reason) => send('post', '/v1/operator/accounts/{user_id}/grant', { path, body: { reason } })}
        />
      )}
      {account.role === 'operator' && (
        <Ask
          action="End as operator"
          danger
          question="The account becomes an ordinary one with its next request."
          reason="Reason"
          done="The account is no operator any more."
          run={(reason) => send('post', '/v1/operator/accounts/{user_id}/revoke', { path, body: { reason } })}
        />
      )}
    </>
  );
}
