"""The operations of the API, generated from its OpenAPI document by `npm run openapi`: do not edit."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from . import types as t
from ._transport import Transport, segment


class Operations(Transport):
    """A method for each operation. Each raises `MarketApiError` for an error response."""

    def acknowledge_finding(self, agent_id: t.AgentId, finding_id: str) -> t.OwnFinding:
        """Acknowledge a finding.

        Changes neither score nor badge. Only an open finding can be acknowledged. A run that no
        longer detects the finding resolves it; a later run that detects it again reopens it. Scope:
        `agents:publish`. Role: developer.
        """
        return self._json(
            "POST",
            f"/v1/developer/agents/{segment(agent_id)}/findings/{segment(finding_id)}/acknowledge",
        )

    def apply_slash(
        self,
        body: t.ApplySlashRequest,
        *,
        idempotency_key: str | None = None,
    ) -> t.OperatorSlash:
        """Slash the bond of an agent’s developer.

        The amount leaves the bond at once, limited to the balance of the bond and to what remains
        of the charges of `invocation_ids`. When the slash is final, it is divided among their
        buyers in proportion to what remains of their charges, exact to a hundredth of a credit.
        With `refund: none`, the charges do not limit the amount, and the platform keeps it as a
        penalty: for calls that cost nothing or were refunded. With an `Idempotency-Key`, a repeated
        request takes nothing more; a different request is refused with 409. Role: operator.
        """
        return self._json(
            "POST",
            "/v1/operator/slashes",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            keyed=True,
        )

    def begin_authenticator(
        self,
        body: t.BeginAuthenticatorRequest,
    ) -> t.BeginAuthenticatorResponse:
        """Begin to enrol an authenticator app (TOTP).

        Add the secret to your app, by hand or as a QR code of `otpauth_uri`, and confirm with its
        first code. The secret is shown only here.
        """
        return self._json("POST", "/v1/auth/authenticator", body=body)

    def change_password(self, body: t.ChangePasswordRequest) -> None:
        """Change the password.

        Ends every other session of the account, tokens of mails that reset the password, and logins
        of devices that wait for their key. The current session continues under a new id. API keys
        and OAuth grants go on unless `end_keys` and `end_grants` say otherwise; `GET
        /v1/auth/security` counts those that are left.
        """
        return self._nothing("POST", "/v1/auth/password", body=body)

    def change_registration(
        self,
        agent_id: t.AgentId,
        body: t.ChangeRegistrationRequest,
    ) -> t.RegisteredAgent:
        """Change the registration of one of your self-hosted agents.

        Omitted fields keep their values; null removes them. Each change creates a version `1.n.0`.
        What buyers read (name, description, vertical, icon), a new endpoint, price, schema,
        example, data handling or bundle is verified first, while the old version serves; other
        changes take effect at once. A change of a draft is a draft, unless `submit` is true. A new
        `upstream_auth` is used from the next call on, whichever version serves; an empty `key`
        removes it. `x402.pay_to` decides where earnings are paid: adding, changing or removing it
        needs a session, not an API key, and `totp_code` from an account with an authenticator app.
        A mail reports it, and the old address still gets the payout of the open week. Scope:
        `agents:publish`. Role: developer.
        """
        return self._json("PATCH", f"/v1/agents/{segment(agent_id)}/registration", body=body)

    def confirm_authenticator(
        self,
        body: t.ConfirmAuthenticatorRequest,
    ) -> t.ConfirmAuthenticatorResponse:
        """Put the authenticator app into use with its first code.

        Ends all other sessions. The recovery codes are shown only here; each works once instead of
        a code.
        """
        return self._json("POST", "/v1/auth/authenticator/confirm", body=body)

    def confirm_email(self, body: t.ConfirmEmailRequest) -> None:
        """Confirm your email address.

        Send the token of the mail with the session of the account that it belongs to.
        """
        return self._nothing("POST", "/v1/auth/email/confirm", body=body)

    def contest_finding(
        self,
        agent_id: t.AgentId,
        finding_id: str,
        body: t.ContestFindingRequest,
    ) -> t.ContestFindingResponse:
        """Contest a finding.

        The contest waits for an operator, who waives the finding or refuses with a reason; you get
        a notice and an event (`finding.waived`, `finding.contest_refused`). Until then the finding
        counts. A finding can be contested 3 times, one contest at a time. Scope: `agents:publish`.
        Role: developer.
        """
        return self._json(
            "POST",
            f"/v1/developer/agents/{segment(agent_id)}/findings/{segment(finding_id)}/contest",
            body=body,
        )

    def counter_slash(self, slash_id: str, body: t.CounterSlashRequest) -> t.Slash:
        """Contest a slash.

        Possible once, before `counter_by`. An operator then decides the slash. An uncontested slash
        becomes final at `counter_by`. Role: developer.
        """
        return self._json(
            "POST",
            f"/v1/billing/developer/slashes/{segment(slash_id)}/counter-argument",
            body=body,
        )

    def create_key(self, body: t.CreateKeyRequest) -> t.IssuedApiKey:
        """Create an API key.

        The key is shown once; only its SHA-256 is stored. Send it as `X-API-Key` to the operations
        that its scopes allow. `credit_cap` limits what the key may spend over its lifetime,
        including calls in progress: a call that could exceed it is refused with 402
        `credit_cap_exceeded` and does not run.
        """
        return self._json("POST", "/v1/keys", body=body)

    def create_task(
        self,
        agent_id: t.AgentId,
        body: t.CreateTaskRequest,
        *,
        idempotency_key: str | None = None,
    ) -> t.CreateTaskResponse:
        """Create a task that a mandate pays for.

        Responds before the task runs; poll the task for its outcome. The mandate names the account
        that pays (docs/mandates.md); its issuer may omit the proof. Without `idempotency_key`,
        every request creates a new task. Scope: `agents:invoke`.
        """
        return self._json(
            "POST",
            f"/v1/a2a/{segment(agent_id)}/tasks",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            keyed=True,
        )

    def create_webhook(self, body: t.CreateWebhookRequest) -> t.IssuedWebhook:
        """Create a webhook.

        Requests follow Standard Webhooks: headers `webhook-id`, `webhook-timestamp` and
        `webhook-signature`, body `{type, timestamp, data}`. Delivery is at least once and not in
        order: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. A webhook receives
        the events of your account: of your agents, bond, payouts, calls, disputes and credits. With
        `agent_id`, it receives only events of that agent; the agent must be yours, unless the only
        type is `trust_score.updated` and the agent is listed. An account can have 50 webhooks.
        Scope: `webhooks:manage`.
        """
        return self._json("POST", "/v1/webhooks", body=body)

    def delete_draft(self, agent_id: t.AgentId, version: str) -> None:
        """Delete a draft.

        Its number can be published again. To edit a draft, publish its number again with `submit:
        false`. A version that was submitted cannot be deleted. Scope: `agents:publish`. Role:
        developer.
        """
        return self._nothing(
            "DELETE",
            f"/v1/developer/agents/{segment(agent_id)}/versions/{segment(version)}",
        )

    def delete_key(self, key_id: str) -> None:
        """Delete an API key.

        The key is refused from the next request on, by every API process. Calls in progress are not
        affected.
        """
        return self._nothing("DELETE", f"/v1/keys/{segment(key_id)}")

    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook.

        Nothing more is sent to it, including pending deliveries. Scope: `webhooks:manage`.
        """
        return self._nothing("DELETE", f"/v1/webhooks/{segment(webhook_id)}")

    def deposit_bond(self, body: t.BondAmount, *, idempotency_key: str | None = None) -> t.Bond:
        """Move credits from the wallet into the bond.

        A bond is not a fee and earns no return. A deposit never lowers the tier. A deposit that
        reaches the minimum ends a shortfall at once and returns your agents to search. With an
        `Idempotency-Key`, a repeated request for the same amount moves no credits; a different
        amount is refused with 409. Role: developer.
        """
        return self._json(
            "POST",
            "/v1/billing/developer/bond/deposit",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            keyed=True,
        )

    def end_other_sessions(self) -> None:
        """End all of your sessions but this one"""
        return self._nothing("DELETE", "/v1/auth/sessions")

    def end_session(self, session_id: str) -> None:
        """End one of your sessions"""
        return self._nothing("DELETE", f"/v1/auth/sessions/{segment(session_id)}")

    def fast_forward_workflow(
        self,
        body: t.FastForwardWorkflowRequest,
    ) -> t.FastForwardWorkflowResponse:
        """Move the clock of a workflow forward, outside production.

        Its timers fire as if the time had passed. The database and other workflows keep their time.
        In production the response is 404. Role: operator.
        """
        return self._json("POST", "/v1/operator/workflows/fast-forward", body=body)

    def freeze_wallet(self, user_id: str, body: t.OperatorReason) -> t.Wallet:
        """Freeze a wallet.

        A frozen wallet pays for no new calls, and nothing can be withdrawn from the account. It can
        still receive credits. Role: operator.
        """
        return self._json("POST", f"/v1/operator/accounts/{segment(user_id)}/freeze", body=body)

    def get_agent_card(self, agent_id: t.AgentId) -> t.AgentCard:
        """Get the public agent card.

        Signed with the keys of /.well-known/jwks.json. Responds with 404 when the agent is not live
        or cannot be invoked by other agents.
        """
        return self._json("GET", f"/.well-known/agents/{segment(agent_id)}/agent-card.json")

    def get_agent_card_at_base(self, agent_id: t.AgentId) -> t.AgentCard:
        """Get the public agent card.

        Signed with the keys of /.well-known/jwks.json. Responds with 404 when the agent is not live
        or cannot be invoked by other agents.
        """
        return self._json("GET", f"/v1/a2a/{segment(agent_id)}/.well-known/agent-card.json")

    def get_analytics(
        self,
        agent_id: t.AgentId,
        *,
        since: str | None = None,
        until: str | None = None,
    ) -> t.GetAnalyticsResponse:
        """Get daily calls, latency and error codes of one of your agents.

        Scope: `agents:read`.
        """
        return self._json(
            "GET",
            f"/v1/agents/{segment(agent_id)}/analytics",
            query={"since": since, "until": until},
        )

    def get_badge(self, agent_id: t.AgentId) -> bytes:
        """Get the badge of an agent as an image"""
        return self._bytes("GET", f"/v1/agents/{segment(agent_id)}/badge.svg")

    def get_balance(self) -> t.Balance:
        """Get the current credit balance.

        Scope: `billing:read`.
        """
        return self._json("GET", "/v1/billing/balance")

    def get_bond(self) -> t.Bond:
        """Get your bond, with its tier, shortfall and withdrawals.

        Role: developer.
        """
        return self._json("GET", "/v1/billing/developer/bond")

    def get_contest(self, contest_id: str) -> t.GetContestResponse:
        """Get a contest of a finding.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/contests/{segment(contest_id)}")

    def get_developer_balance(self) -> t.GetDeveloperBalanceResponse:
        """Get earnings and the payable balance.

        Scope: `billing:read`. Role: developer.
        """
        return self._json("GET", "/v1/billing/developer/balance")

    def get_dispute(self, dispute_id: str) -> t.DisputeWithCall:
        """Get a dispute as its buyer or developer.

        Scope: `billing:read`.
        """
        return self._json("GET", f"/v1/billing/disputes/{segment(dispute_id)}")

    def get_invocation(self, invocation_id: str) -> t.InvocationDetail:
        """Get one of your calls.

        Includes `output` while the encrypted answer is retained: for calls with an idempotency key,
        and for calls whose client disconnected before the answer. Scope: `agents:invoke`.
        """
        return self._json("GET", f"/v1/invocations/{segment(invocation_id)}")

    def get_invoice_pdf(self, invoice_id: str) -> bytes:
        """Get an invoice as PDF.

        Scope: `billing:read`.
        """
        return self._bytes("GET", f"/v1/billing/invoices/{segment(invoice_id)}.pdf")

    def get_jwks(self) -> t.GetJwksResponse:
        """Get the public keys that verify evidence.

        Retired keys remain in the set, so that their signatures can always be verified.
        """
        return self._json("GET", "/.well-known/jwks.json")

    def get_listing(self, agent_id: t.AgentId) -> t.ListingDetail:
        """Get a listed agent.

        Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", f"/v1/listings/{segment(agent_id)}")

    def get_listing_by_slug(self, slug: t.Slug) -> t.ListingDetail:
        """Get the highest live major version of an agent by its slug.

        Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", f"/v1/listings/slug/{segment(slug)}")

    def get_listing_figures(self, agent_id: t.AgentId) -> t.GetListingFiguresResponse:
        """Get the calls, success rate and latency of a listed agent by day.

        The last 30 UTC days, today included, of paid calls of accounts other than that of the
        developer. Calls and success rate are counted as in `stats` of a listing. Scope:
        `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", f"/v1/agents/{segment(agent_id)}/figures")

    def get_mandate(self, mandate_id: str) -> t.Mandate:
        """Get one of your mandates.

        Scope: `billing:read`.
        """
        return self._json("GET", f"/v1/mandates/{segment(mandate_id)}")

    def get_mandate_jwks(self, account_id: str) -> t.GetMandateJwksResponse:
        """Get the public keys that verify an account's mandates.

        A JWKS (RFC 7517), so that an agent can verify a mandate before it works. `account_id` is
        the `iss` of the mandate. An account without keys, and an unknown one, have an empty set.
        """
        return self._json("GET", f"/v1/mandate-keys/{segment(account_id)}/jwks.json")

    def get_operator_account(self, user_id: str) -> t.Wallet:
        """Get an account and the state of its wallet.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/accounts/{segment(user_id)}")

    def get_operator_agent(self, agent_id: t.AgentId) -> t.OperatorAgent:
        """Get an agent in any state.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/agents/{segment(agent_id)}")

    def get_operator_call(self, invocation_id: str) -> t.OperatorCall:
        """Get the money timeline of a call.

        Holds neither the input nor the output of the call. Role: operator.
        """
        return self._json("GET", f"/v1/operator/calls/{segment(invocation_id)}")

    def get_operator_dispute(self, dispute_id: str) -> t.OperatorDisputeWithCall:
        """Get any dispute, with the facts of its call.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/disputes/{segment(dispute_id)}")

    def get_operator_payment(self, payment_id: str) -> t.Payment:
        """Get any payment.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/payments/{segment(payment_id)}")

    def get_operator_slash(self, slash_id: str) -> t.OperatorSlash:
        """Get any slash.

        Role: operator.
        """
        return self._json("GET", f"/v1/operator/slashes/{segment(slash_id)}")

    def get_own_agent(self, agent_id: t.AgentId) -> t.OwnAgentDetail:
        """Get one of your agents, with endpoint and signing secret.

        `manifest`, or `registration` for a self-hosted agent, is that of the serving version, or of
        the latest version when none serves yet. Scope: `agents:publish`. Role: developer.
        """
        return self._json("GET", f"/v1/developer/agents/{segment(agent_id)}")

    def get_own_version(self, agent_id: t.AgentId, version: str) -> t.AgentVersionDetail:
        """Get a version of one of your agents, with its manifest.

        `manifest` is the document as it was stored, with its defaults; `manifest_sha256` is the
        SHA-256 of its canonical JSON (RFC 8785). It can be read in every state of the version, also
        after a newer version went live. A self-hosted agent has a `registration` instead. Scope:
        `agents:publish`. Role: developer.
        """
        return self._json(
            "GET",
            f"/v1/developer/agents/{segment(agent_id)}/versions/{segment(version)}",
        )

    def get_payout(self, payout_id: str) -> t.GetPayoutResponse:
        """Get a payout with its statement.

        The statement has one line per invocation; the credits of all lines add up to the credits of
        the payout. The response has the first 1,000 lines, the CSV has all. Scope: `billing:read`.
        Role: developer.
        """
        return self._json("GET", f"/v1/billing/developer/payouts/{segment(payout_id)}")

    def get_payout_file(self, file_id: str) -> bytes:
        """Download the disbursement file for the bank.

        Role: operator.
        """
        return self._bytes("GET", f"/v1/operator/payout-files/{segment(file_id)}")

    def get_payout_method(self) -> t.PayoutMethod:
        """Get your payout method, masked.

        Role: developer.
        """
        return self._json("GET", "/v1/billing/developer/payout-method")

    def get_payout_statement_csv(self, payout_id: str) -> bytes:
        """Download the statement of a payout as CSV.

        Scope: `billing:read`. Role: developer.
        """
        return self._bytes(
            "GET",
            f"/v1/billing/developer/payouts/{segment(payout_id)}/statement.csv",
        )

    def get_payout_statement_pdf(self, payout_id: str) -> bytes:
        """Download the statement of a payout as PDF.

        Scope: `billing:read`. Role: developer.
        """
        return self._bytes(
            "GET",
            f"/v1/billing/developer/payouts/{segment(payout_id)}/statement.pdf",
        )

    def get_platform(self) -> t.Platform:
        """Get queues with their lags, open holds by age, and the state of the schema and the ledger.

        The numbers are at most two seconds old. Long queues are counted up to 10,000. Role:
        operator.
        """
        return self._json("GET", "/v1/operator/platform")

    def get_registration(self, agent_id: t.AgentId) -> t.RegistrationView:
        """Get the latest registration of one of your self-hosted agents.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json("GET", f"/v1/agents/{segment(agent_id)}/registration")

    def get_rubric(self, version: str) -> t.RubricDetail:
        """Get a rubric with its document.

        Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", f"/v1/rubrics/{segment(version)}")

    def get_security(self) -> t.GetSecurityResponse:
        """Get what protects your account"""
        return self._json("GET", "/v1/auth/security")

    def get_slash(self, slash_id: str) -> t.Slash:
        """Get a slash of your bond, with explanation and evidence.

        Scope: `billing:read`. Role: developer.
        """
        return self._json("GET", f"/v1/billing/developer/slashes/{segment(slash_id)}")

    def get_tax_form(self) -> t.TaxForm:
        """Get your tax form, masked, and its review.

        Role: developer.
        """
        return self._json("GET", "/v1/billing/developer/tax-form")

    def get_trust_report(self, agent_id: t.AgentId) -> t.TrustReport:
        """Get the trust report of an agent.

        Returns the report of the latest run of the serving version. For an agent that has never
        served, its owner gets the latest report of any version. Missing evidence earns no points
        and is not a finding; each stage lists what is missing. Reports never contain red team
        prompts. Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", f"/v1/agents/{segment(agent_id)}/trust-report")

    def get_usage(self, agent_id: t.AgentId, *, since: str | None = None) -> t.GetUsageResponse:
        """Get the calls and earnings of one of your agents.

        `gross_credits` is the total of buyers' charges less refunds; it always equals
        `developer_earnings_credits` + `platform_fee_credits`. `calls` counts all accepted calls,
        including calls in progress, disputed calls and free calls. `refunded_credits` is what was
        charged for `disputed` calls and returned to their buyers. Scope: `agents:read`.
        """
        return self._json("GET", f"/v1/agents/{segment(agent_id)}/usage", query={"since": since})

    def get_visibility(self, agent_id: t.AgentId) -> t.GetVisibilityResponse:
        """Get whether search lists one of your agents, and why not.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json("GET", f"/v1/developer/agents/{segment(agent_id)}/visibility")

    def get_webhook(self, webhook_id: str) -> t.Webhook:
        """Get a webhook.

        Scope: `webhooks:manage`.
        """
        return self._json("GET", f"/v1/webhooks/{segment(webhook_id)}")

    def health(self) -> t.HealthResponse:
        """Check that the process is alive"""
        return self._json("GET", "/health")

    def invoke_agent(
        self,
        agent_id: t.AgentId,
        body: t.InvokeAgentRequest,
        *,
        idempotency_key: str | None = None,
    ) -> t.InvocationResult:
        """Invoke an agent and pay for its answer.

        Validates the input, holds the price in escrow, forwards the call, validates the answer and
        settles. A failed call is free. With `Idempotency-Key` (or `idempotency_key`), retries are
        safe: a call is never charged twice. Scope: `agents:invoke`.
        """
        return self._json(
            "POST",
            f"/v1/agents/{segment(agent_id)}/invoke",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            keyed=True,
        )

    def issue_local_certificate(
        self,
        body: t.IssueLocalCertificateRequest,
    ) -> t.IssueLocalCertificateResponse:
        """Get a certificate for an agent on a loopback address.

        For development: `npm start` certifies agents on addresses that it may call, such as
        127.77.0.5. A service in production has no such authority and answers 404. The certificate
        is valid for 7 days. Scope: `agents:publish`. Role: developer.
        """
        return self._json("POST", "/v1/developer/local-certificates", body=body)

    def list_account_movements(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.AccountMovementPage:
        """List every movement of an account, newest first.

        Of its wallet, escrow, payable, bond and slash hold. Role: operator.
        """
        return self._json(
            "GET",
            f"/v1/operator/accounts/{segment(user_id)}/movements",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_account_movements(
        self,
        user_id: str,
        *,
        limit: int | None = None,
    ) -> Iterator[t.AccountMovement]:
        """The items of all pages of `list_account_movements`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_account_movements(user_id, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_agent_calls(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.InvocationStatus | None = None,
    ) -> t.AgentCallPage:
        """List the calls of one of your agents, newest first.

        Facts about each call, and never its buyer, its input or its output. Scope:
        `agents:publish`. Role: developer.
        """
        return self._json(
            "GET",
            f"/v1/developer/agents/{segment(agent_id)}/calls",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_agent_calls(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        status: t.InvocationStatus | None = None,
    ) -> Iterator[t.AgentCall]:
        """The items of all pages of `list_agent_calls`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_agent_calls(agent_id, limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_agent_findings(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["open", "acknowledged", "resolved"] | None = None,
    ) -> t.OwnFindingPage:
        """List the findings of any agent, newest first.

        Role: operator.
        """
        return self._json(
            "GET",
            f"/v1/operator/agents/{segment(agent_id)}/findings",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_agent_findings(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        status: Literal["open", "acknowledged", "resolved"] | None = None,
    ) -> Iterator[t.OwnFinding]:
        """The items of all pages of `list_agent_findings`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_agent_findings(agent_id, limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_agent_notices(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.AgentNoticePage:
        """List notices about one of your agents.

        One notice for each version and code, at its first observation; newest first. When an agent
        repeats its upstream credential in an answer, the credential is masked before the answer is
        validated, stored or delivered. Scope: `agents:publish`. Role: developer.
        """
        return self._json(
            "GET",
            f"/v1/developer/agents/{segment(agent_id)}/notices",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_agent_notices(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
    ) -> Iterator[t.AgentNotice]:
        """The items of all pages of `list_agent_notices`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_agent_notices(agent_id, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_contests(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["open", "accepted", "refused"] | None = None,
    ) -> t.ListContestsResponse:
        """List contests of findings, newest first.

        Without `status`, lists contests that wait for a decision. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/contests",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_contests(
        self,
        *,
        limit: int | None = None,
        status: Literal["open", "accepted", "refused"] | None = None,
    ) -> Iterator[t.ListContestsResponseItem]:
        """The items of all pages of `list_contests`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_contests(limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_developer_notices(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.ListDeveloperNoticesResponse:
        """List notices about your bond, slashes and findings, newest first.

        `data` is the payload of the corresponding webhook event. A notice about a slash includes
        its explanation and evidence. Scope: `billing:read`. Role: developer.
        """
        return self._json(
            "GET",
            "/v1/billing/developer/notices",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_developer_notices(
        self,
        *,
        limit: int | None = None,
    ) -> Iterator[t.ListDeveloperNoticesResponseItem]:
        """The items of all pages of `list_developer_notices`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_developer_notices(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_developer_transactions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: str | None = None,
        entry_type: Literal["invocation_earning", "dispute_refund", "bond_deposit", "bond_release", "slash", "payout", "payout_remainder"] | None = None,
    ) -> t.DeveloperTransactionPage:
        """List payable and bond entries, newest first.

        Entries of the payable account (`account: payable`) and of the bond. `balance_after_credits`
        is the balance of that account. Wallet entries are in the ledger. Scope: `billing:read`.
        Role: developer.
        """
        return self._json(
            "GET",
            "/v1/billing/developer/transactions",
            query={"limit": limit, "cursor": cursor, "since": since, "entry_type": entry_type},
        )

    def iter_developer_transactions(
        self,
        *,
        limit: int | None = None,
        since: str | None = None,
        entry_type: Literal["invocation_earning", "dispute_refund", "bond_deposit", "bond_release", "slash", "payout", "payout_remainder"] | None = None,
    ) -> Iterator[t.DeveloperTransaction]:
        """The items of all pages of `list_developer_transactions`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_developer_transactions(limit=limit, since=since, entry_type=entry_type, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_disputes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.DisputeStatus | None = None,
        role: Literal["buyer", "developer"] | None = None,
    ) -> t.DisputePage:
        """List disputes of your calls and of your agents, newest first.

        Scope: `billing:read`.
        """
        return self._json(
            "GET",
            "/v1/billing/disputes",
            query={"limit": limit, "cursor": cursor, "status": status, "role": role},
        )

    def iter_disputes(
        self,
        *,
        limit: int | None = None,
        status: t.DisputeStatus | None = None,
        role: Literal["buyer", "developer"] | None = None,
    ) -> Iterator[t.Dispute]:
        """The items of all pages of `list_disputes`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_disputes(limit=limit, status=status, role=role, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_earnings(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.ListEarningsResponse:
        """List earnings that are not paid out yet, by the UTC day on which they mature.

        Scope: `billing:read`. Role: developer.
        """
        return self._json(
            "GET",
            "/v1/billing/developer/earnings",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_earnings(self, *, limit: int | None = None) -> Iterator[t.ListEarningsResponseItem]:
        """The items of all pages of `list_earnings`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_earnings(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_exchange_rates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.ExchangeRatePage:
        """List exchange rates, latest first.

        A Monday's rupee payouts use the latest rate of the week before it. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/exchange-rates",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_exchange_rates(self, *, limit: int | None = None) -> Iterator[t.ExchangeRate]:
        """The items of all pages of `list_exchange_rates`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_exchange_rates(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_findings(
        self,
        agent_id: t.AgentId,
        *,
        status: Literal["open", "acknowledged", "resolved"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.OwnFindingPage:
        """List the findings of one of your agents, newest first.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json(
            "GET",
            f"/v1/developer/agents/{segment(agent_id)}/findings",
            query={"status": status, "limit": limit, "cursor": cursor},
        )

    def iter_findings(
        self,
        agent_id: t.AgentId,
        *,
        status: Literal["open", "acknowledged", "resolved"] | None = None,
        limit: int | None = None,
    ) -> Iterator[t.OwnFinding]:
        """The items of all pages of `list_findings`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_findings(agent_id, status=status, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_invocations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        agent_id: t.AgentId | None = None,
        status: t.InvocationStatus | None = None,
        key_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> t.InvocationPage:
        """List your calls, newest first.

        Scope: `agents:invoke`.
        """
        return self._json(
            "GET",
            "/v1/invocations",
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "status": status, "key_id": key_id, "since": since, "until": until},
        )

    def iter_invocations(
        self,
        *,
        limit: int | None = None,
        agent_id: t.AgentId | None = None,
        status: t.InvocationStatus | None = None,
        key_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Iterator[t.Invocation]:
        """The items of all pages of `list_invocations`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_invocations(limit=limit, agent_id=agent_id, status=status, key_id=key_id, since=since, until=until, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_invoices(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.InvoicePage:
        """List the invoices of your top-ups, newest first.

        Scope: `billing:read`.
        """
        return self._json("GET", "/v1/billing/invoices", query={"limit": limit, "cursor": cursor})

    def iter_invoices(self, *, limit: int | None = None) -> Iterator[t.Invoice]:
        """The items of all pages of `list_invoices`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_invoices(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> t.ApiKeyPage:
        """List your API keys, newest first"""
        return self._json("GET", "/v1/keys", query={"limit": limit, "cursor": cursor})

    def iter_keys(self, *, limit: int | None = None) -> Iterator[t.ApiKey]:
        """The items of all pages of `list_keys`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_keys(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_ledger(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        since: str | None = None,
        entry_type: Literal["topup", "topup_reversal", "registration_fee", "invocation_hold", "invocation_release", "invocation_charge", "refund", "dispute_refund", "bond_deposit", "bond_release", "slash_refund"] | None = None,
        invocation_id: str | None = None,
    ) -> t.LedgerItemPage:
        """List every credit and debit of the wallet, newest first.

        A successful call has three entries: the hold (−), its release (+) when the call ends, and
        the charge (−). A failed call has two: the hold (−) and the refund (+). The credits of all
        entries add up to the available balance. Scope: `billing:read`.
        """
        return self._json(
            "GET",
            "/v1/billing/ledger",
            query={"limit": limit, "cursor": cursor, "since": since, "entry_type": entry_type, "invocation_id": invocation_id},
        )

    def iter_ledger(
        self,
        *,
        limit: int | None = None,
        since: str | None = None,
        entry_type: Literal["topup", "topup_reversal", "registration_fee", "invocation_hold", "invocation_release", "invocation_charge", "refund", "dispute_refund", "bond_deposit", "bond_release", "slash_refund"] | None = None,
        invocation_id: str | None = None,
    ) -> Iterator[t.LedgerItem]:
        """The items of all pages of `list_ledger`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_ledger(limit=limit, since=since, entry_type=entry_type, invocation_id=invocation_id, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_ledger_digests(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.LedgerDigestPage:
        """List the daily digests of the ledger, newest first.

        Each UTC day is sealed when it is over: its entries are hashed, and the digest is chained to
        the preceding day and signed. Store copies outside this service. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/ledger/digests",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_ledger_digests(self, *, limit: int | None = None) -> Iterator[t.LedgerDigest]:
        """The items of all pages of `list_ledger_digests`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_ledger_digests(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_listings(
        self,
        *,
        q: str | None = None,
        category: t.Category | None = None,
        tag: list[str] | None = None,
        badge: t.Badge | None = None,
        min_trust_score: int | None = None,
        max_price: float | None = None,
        pricing_model: t.PricingModel | None = None,
        protocol: t.Protocol | None = None,
        sort: t.ListingSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.ListingPage:
        """Search the marketplace.

        Full-text search over display name, description and tags, with filters. The default order is
        `relevance`; without `q`, it is the same as `trust_score`. A cursor is valid only with the
        query parameters with which it was created. Scope: `agents:read`. Without an account while
        PUBLIC_READS is on.
        """
        return self._json(
            "GET",
            "/v1/listings",
            query={"q": q, "category": category, "tag": tag, "badge": badge, "min_trust_score": min_trust_score, "max_price": max_price, "pricing_model": pricing_model, "protocol": protocol, "sort": sort, "limit": limit, "cursor": cursor},
        )

    def iter_listings(
        self,
        *,
        q: str | None = None,
        category: t.Category | None = None,
        tag: list[str] | None = None,
        badge: t.Badge | None = None,
        min_trust_score: int | None = None,
        max_price: float | None = None,
        pricing_model: t.PricingModel | None = None,
        protocol: t.Protocol | None = None,
        sort: t.ListingSort | None = None,
        limit: int | None = None,
    ) -> Iterator[t.Listing]:
        """The items of all pages of `list_listings`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_listings(q=q, category=category, tag=tag, badge=badge, min_trust_score=min_trust_score, max_price=max_price, pricing_model=pricing_model, protocol=protocol, sort=sort, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_mandate_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.MandateKeyPage:
        """List the keys that sign mandates for your account, newest first.

        Scope: `billing:read`.
        """
        return self._json("GET", "/v1/mandate-keys", query={"limit": limit, "cursor": cursor})

    def iter_mandate_keys(self, *, limit: int | None = None) -> Iterator[t.MandateKey]:
        """The items of all pages of `list_mandate_keys`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_mandate_keys(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_mandates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.MandatePage:
        """List mandates of your account that were used, newest first.

        Includes mandates delegated from them. A delegated mandate also spends from every mandate
        above it in the chain. Scope: `billing:read`.
        """
        return self._json("GET", "/v1/mandates", query={"limit": limit, "cursor": cursor})

    def iter_mandates(self, *, limit: int | None = None) -> Iterator[t.Mandate]:
        """The items of all pages of `list_mandates`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_mandates(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_oauth_grants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.OAuthGrantPage:
        """List the clients that may call agents for you, newest first"""
        return self._json("GET", "/v1/oauth/grants", query={"limit": limit, "cursor": cursor})

    def iter_oauth_grants(self, *, limit: int | None = None) -> Iterator[t.OAuthGrant]:
        """The items of all pages of `list_oauth_grants`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_oauth_grants(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_actions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        operator_user_id: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> t.OperatorActionPage:
        """List the audit log of operator actions, newest first.

        Every change that operators make, through the API or by commands: who, when, what and why.
        Entries are written in the same transaction as the change and never modified. Role:
        operator.
        """
        return self._json(
            "GET",
            "/v1/operator/actions",
            query={"limit": limit, "cursor": cursor, "operator_user_id": operator_user_id, "action": action, "subject": subject, "since": since, "until": until},
        )

    def iter_operator_actions(
        self,
        *,
        limit: int | None = None,
        operator_user_id: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Iterator[t.OperatorAction]:
        """The items of all pages of `list_operator_actions`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_actions(limit=limit, operator_user_id=operator_user_id, action=action, subject=subject, since=since, until=until, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_disputes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.DisputeStatus | None = None,
    ) -> t.OperatorDisputePage:
        """List disputes of all accounts, newest first.

        Without `status`, lists undecided disputes: open and contested. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/disputes",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_operator_disputes(
        self,
        *,
        limit: int | None = None,
        status: t.DisputeStatus | None = None,
    ) -> Iterator[t.OperatorDispute]:
        """The items of all pages of `list_operator_disputes`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_disputes(limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_payments(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: t.PaymentState | None = None,
    ) -> t.PaymentPage:
        """List payments, newest first.

        Without `state`, lists quarantined payments. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/payments",
            query={"limit": limit, "cursor": cursor, "state": state},
        )

    def iter_operator_payments(
        self,
        *,
        limit: int | None = None,
        state: t.PaymentState | None = None,
    ) -> Iterator[t.Payment]:
        """The items of all pages of `list_operator_payments`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_payments(limit=limit, state=state, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_payouts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.PayoutStatus | None = None,
        developer_user_id: str | None = None,
    ) -> t.OperatorPayoutPage:
        """List payouts of all developers, newest first.

        Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/payouts",
            query={"limit": limit, "cursor": cursor, "status": status, "developer_user_id": developer_user_id},
        )

    def iter_operator_payouts(
        self,
        *,
        limit: int | None = None,
        status: t.PayoutStatus | None = None,
        developer_user_id: str | None = None,
    ) -> Iterator[t.OperatorPayout]:
        """The items of all pages of `list_operator_payouts`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_payouts(limit=limit, status=status, developer_user_id=developer_user_id, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_reversals(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        owed: Literal["true", "false"] | None = None,
    ) -> t.PaymentReversalPage:
        """List refunds and chargebacks of payments, newest first.

        `open`: an undecided dispute. `waiting`: the payment is not credited yet. `taken`: the
        credits were taken back. `closed`: the dispute cost nothing. `returned`: the dispute was
        won; what it had taken was given back. With `owed=true`, lists those with a debt that is not
        paid yet. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/reversals",
            query={"limit": limit, "cursor": cursor, "owed": owed},
        )

    def iter_operator_reversals(
        self,
        *,
        limit: int | None = None,
        owed: Literal["true", "false"] | None = None,
    ) -> Iterator[t.PaymentReversal]:
        """The items of all pages of `list_operator_reversals`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_reversals(limit=limit, owed=owed, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_operator_slashes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["applied", "contested", "final", "overturned"] | None = None,
    ) -> t.OperatorSlashPage:
        """List slashes with their deadlines, newest first.

        Without `status`, lists undecided slashes: applied and contested. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/slashes",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_operator_slashes(
        self,
        *,
        limit: int | None = None,
        status: Literal["applied", "contested", "final", "overturned"] | None = None,
    ) -> Iterator[t.OperatorSlash]:
        """The items of all pages of `list_operator_slashes`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_operator_slashes(limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_own_agents(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.OwnAgentPage:
        """List your agents.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json("GET", "/v1/developer/agents", query={"limit": limit, "cursor": cursor})

    def iter_own_agents(self, *, limit: int | None = None) -> Iterator[t.OwnAgent]:
        """The items of all pages of `list_own_agents`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_own_agents(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_own_versions(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.AgentVersionPage:
        """List all versions of one of your agents, highest first.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json(
            "GET",
            f"/v1/developer/agents/{segment(agent_id)}/versions",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_own_versions(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
    ) -> Iterator[t.AgentVersion]:
        """The items of all pages of `list_own_versions`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_own_versions(agent_id, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_payouts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.PayoutStatus | None = None,
    ) -> t.PayoutPage:
        """List your payouts, newest first.

        Scope: `billing:read`. Role: developer.
        """
        return self._json(
            "GET",
            "/v1/billing/developer/payouts",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_payouts(
        self,
        *,
        limit: int | None = None,
        status: t.PayoutStatus | None = None,
    ) -> Iterator[t.Payout]:
        """The items of all pages of `list_payouts`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_payouts(limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_rate_fetches(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.RateFetchPage:
        """List fetches from the exchange rate source, newest first.

        Empty when FX_SOURCE is not set. Consecutive fetches with the same outcome are counted in
        one row. Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/exchange-rates/fetches",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_rate_fetches(self, *, limit: int | None = None) -> Iterator[t.RateFetch]:
        """The items of all pages of `list_rate_fetches`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_rate_fetches(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_rubrics(self, *, limit: int | None = None, cursor: str | None = None) -> t.RubricPage:
        """List rubrics with their changelog, newest first.

        Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json("GET", "/v1/rubrics", query={"limit": limit, "cursor": cursor})

    def iter_rubrics(self, *, limit: int | None = None) -> Iterator[t.Rubric]:
        """The items of all pages of `list_rubrics`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_rubrics(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.ListSessionsResponse:
        """List your sessions, newest first.

        An account has at most 100 sessions; a new one then ends the oldest.
        """
        return self._json("GET", "/v1/auth/sessions", query={"limit": limit, "cursor": cursor})

    def iter_sessions(self, *, limit: int | None = None) -> Iterator[t.ListSessionsResponseItem]:
        """The items of all pages of `list_sessions`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_sessions(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_slashes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: Literal["applied", "contested", "final", "overturned"] | None = None,
    ) -> t.SlashPage:
        """List slashes of your bond, newest first.

        Scope: `billing:read`. Role: developer.
        """
        return self._json(
            "GET",
            "/v1/billing/developer/slashes",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_slashes(
        self,
        *,
        limit: int | None = None,
        status: Literal["applied", "contested", "final", "overturned"] | None = None,
    ) -> Iterator[t.Slash]:
        """The items of all pages of `list_slashes`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_slashes(limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_tax_forms(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.WaitingTaxFormPage:
        """List tax forms that wait for a review, newest first.

        Role: operator.
        """
        return self._json("GET", "/v1/operator/tax-forms", query={"limit": limit, "cursor": cursor})

    def iter_tax_forms(self, *, limit: int | None = None) -> Iterator[t.WaitingTaxForm]:
        """The items of all pages of `list_tax_forms`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_tax_forms(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_trust_reports(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.TrustReportPage:
        """List all trust reports of an agent, newest first.

        The owner also sees reports of versions that never served. Each report shows the badge of
        its time. Scope: `agents:read`. Without an account while PUBLIC_READS is on.
        """
        return self._json(
            "GET",
            f"/v1/agents/{segment(agent_id)}/trust-reports",
            query={"limit": limit, "cursor": cursor},
        )

    def iter_trust_reports(
        self,
        agent_id: t.AgentId,
        *,
        limit: int | None = None,
    ) -> Iterator[t.TrustReport]:
        """The items of all pages of `list_trust_reports`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_trust_reports(agent_id, limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_waivers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        agent_id: t.AgentId | None = None,
        holding: Literal["true", "false"] | None = None,
    ) -> t.WaiverPage:
        """List waivers of findings, newest first.

        Role: operator.
        """
        return self._json(
            "GET",
            "/v1/operator/waivers",
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "holding": holding},
        )

    def iter_waivers(
        self,
        *,
        limit: int | None = None,
        agent_id: t.AgentId | None = None,
        holding: Literal["true", "false"] | None = None,
    ) -> Iterator[t.Waiver]:
        """The items of all pages of `list_waivers`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_waivers(limit=limit, agent_id=agent_id, holding=holding, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: t.DeliveryStatus | None = None,
    ) -> t.WebhookDeliveryPage:
        """List the deliveries to a webhook, newest first.

        Includes every attempt. Finished deliveries are retained for 30 days. Scope:
        `webhooks:manage`.
        """
        return self._json(
            "GET",
            f"/v1/webhooks/{segment(webhook_id)}/deliveries",
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def iter_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        status: t.DeliveryStatus | None = None,
    ) -> Iterator[t.WebhookDelivery]:
        """The items of all pages of `list_webhook_deliveries`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_webhook_deliveries(webhook_id, limit=limit, status=status, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> t.WebhookPage:
        """List your webhooks, newest first.

        Scope: `webhooks:manage`.
        """
        return self._json("GET", "/v1/webhooks", query={"limit": limit, "cursor": cursor})

    def iter_webhooks(self, *, limit: int | None = None) -> Iterator[t.Webhook]:
        """The items of all pages of `list_webhooks`, from page to page as they are read."""
        cursor: str | None = None
        while True:
            page = self.list_webhooks(limit=limit, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def load_exchange_rate(self, body: t.LoadExchangeRateRequest) -> None:
        """Load a USD to INR spot rate.

        UPI payouts use the latest rate of the week before their Monday, less 0.5%. Role: operator.
        """
        return self._nothing("POST", "/v1/operator/exchange-rates", body=body)

    def log_in_by_link(self, body: t.LogInByLinkRequest) -> t.Profile:
        """Start a session with a one-time login link of the local stack.

        Only outside production; in production the answer is always 404. `npm start` prints the
        links of its demonstration accounts. A link works once, for 15 minutes. The session has no
        second factor.
        """
        return self._json("POST", "/v1/auth/login-link", body=body)

    def login(self, body: t.LoginRequest) -> t.Profile:
        """Start a session.

        An account with an authenticator app also needs `totp_code`, a code of the app or a recovery
        code; without one the answer is `second_factor_required`.
        """
        return self._json("POST", "/v1/auth/login", body=body)

    def logout(self) -> None:
        """End the session"""
        return self._nothing("POST", "/v1/auth/logout")

    def look_up(self, *, q: str) -> t.LookUpResponse:
        """Find what an id, an e-mail address or a trace id names.

        Ids of accounts, agents, calls, disputes, payouts, slashes and top-ups; other ids find what
        they belong to. A trace id finds the calls that this service began with it, and not those of
        a caller who sent a trace id of their own. Role: operator.
        """
        return self._json("GET", "/v1/operator/lookup", query={"q": q})

    def me(self) -> t.Profile:
        """Get the profile of the authenticated user"""
        return self._json("GET", "/v1/auth/me")

    def open_dispute(self, body: t.OpenDisputeRequest) -> t.Dispute:
        """Dispute one of your calls.

        A call in progress ends at once: its status becomes `disputed`, the hold is refunded in
        full, and a client that waits for the answer gets 409 `already_disputed` without output. A
        successful call can be disputed within 72 hours. The developer then has 72 hours to accept
        or contest. Without a response the dispute is accepted; a contested dispute is decided by an
        operator. Each call can be disputed once. The developer does not see input and output of the
        call, unless you attach them.
        """
        return self._json("POST", "/v1/billing/disputes", body=body)

    def pay_registration(self) -> t.PayRegistrationResponse:
        """Pay the one-time developer registration fee from the wallet.

        The fee is 1000 credits, paid once for any number of agents. Repeated requests charge
        nothing. Role: developer.
        """
        return self._json("POST", "/v1/users/pay-registration")

    def poll_task(
        self,
        agent_id: t.AgentId,
        task_id: str,
        *,
        history_length: str | None = None,
    ) -> t.Task:
        """Get a task.

        Without `A2A-Version` (header or query), the response has the form below. With it, the
        operation is GetTask of A2A 1.0 and responds with a `Task` as application/a2a+json. Scope:
        `agents:invoke`.
        """
        return self._json(
            "GET",
            f"/v1/a2a/{segment(agent_id)}/tasks/{segment(task_id)}",
            query={"historyLength": history_length},
        )

    def publish_agent(self, body: t.PublishAgentRequest) -> t.PublishedVersion:
        """Publish a version of an agent.

        Stores the manifest permanently and submits the version for verification; with `submit:
        false` the version stays a draft. A version goes live when it passes verification. It
        replaces a version of the same number that never went live; this is also how a draft is
        edited. A lower major takes new versions while one of its versions serves. Requires the paid
        seller registration fee. Scope: `agents:publish`. Role: developer.
        """
        return self._json("POST", "/v1/developer/agents", body=body)

    def publish_rubric(self, body: t.PublishRubricRequest) -> t.RubricDetail:
        """Announce a rubric.

        The rubric takes effect at the end of its comment period. The period is at least 30 days,
        whatever `comment_days` says, when anything except texts differs from the rubric in effect.
        All agents are then verified again within 30 days. Every developer gets a notice and the
        event `rubric.announced`. Role: operator.
        """
        return self._json("POST", "/v1/operator/rubrics", body=body)

    def put_payout_method(self, body: t.PutPayoutMethodRequest) -> t.PayoutMethod:
        """Set your payout method.

        Details by method. ach: account_holder_name, routing_number, account_number, account_type
        (checking, savings). swift: account_holder_name, bic, iban or account_number, country, town.
        upi: account_holder_name, vpa. usdc: address, network (base). Names may have accents: banks
        get them without. Bank codes may have spaces and lower case. The new method applies to
        payouts that are not reserved yet. The change is reported by mail. An account with an
        authenticator app also sends `totp_code`. Role: developer.
        """
        return self._json("PUT", "/v1/billing/developer/payout-method", body=body)

    def put_tax_form(self, body: t.PutTaxFormRequest) -> t.TaxForm:
        """Submit your tax form.

        An operator must accept the form before the payouts of a calendar year can exceed a
        threshold. Role: developer.
        """
        return self._json("PUT", "/v1/billing/developer/tax-form", body=body)

    def readiness(self) -> t.Readiness:
        """Check that Postgres, Temporal and a worker are reachable"""
        return self._json("GET", "/readiness")

    def redeliver_webhook(self, webhook_id: str, delivery_id: str) -> t.WebhookDelivery:
        """Redeliver an event.

        Sends the event at once and then by the whole retry schedule, whatever its status. The
        `webhook-id` stays the same, so that a receiver can recognize it. Scope: `webhooks:manage`.
        """
        return self._json(
            "POST",
            f"/v1/webhooks/{segment(webhook_id)}/deliveries/{segment(delivery_id)}/redeliver",
        )

    def register(self, body: t.RegisterRequest) -> t.Profile:
        """Create an account and start a session.

        A mail asks to confirm the address. An address belongs to one account, confirmed or not: 409
        `email_taken` for another one. After ten such answers to one client address within an hour,
        every sign-up from there is 429. An account that has not confirmed its address after a day,
        and has no credits, keys, agents or calls, is deleted and the address is free again. The
        10,000 most common passwords are refused.
        """
        return self._json("POST", "/v1/auth/register", body=body)

    def register_agent(self, body: t.RegisterAgentRequest) -> t.RegisteredAgent:
        """Register a self-hosted agent by its endpoint.

        Creates an agent with version 1.0.0 and submits it for verification at once: an HTTP
        endpoint must answer, and an MCP server must list at least one tool. With `submit: false`
        the version stays a draft until `POST
        /v1/developer/agents/{agent_id}/versions/{version}/submit`. Requires exactly one price,
        `access_config.price_per_call_units` or `x402`, and the paid seller registration fee. With
        schemas, examples, data handling and a bundle, verification examines the agent like one with
        a manifest, and calls are checked by the schemas. Verification calls a host a few times,
        once, until its `ownership` is proven (getOwnAgent). Scope: `agents:publish`. Role:
        developer.
        """
        return self._json("POST", "/v1/agents/register", body=body)

    def register_mandate_key(self, body: t.RegisterMandateKeyRequest) -> t.MandateKey:
        """Register a public key that signs mandates for your account.

        ES256 on P-256. Mandates reference the key by its thumbprint (`kid`) and are valid only
        while it is registered. Anyone who has the private key can spend your wallet. Registering
        the same key again returns the existing one.
        """
        return self._json("POST", "/v1/mandate-keys", body=body)

    def reinstate_agent(self, agent_id: t.AgentId, body: t.OperatorReason) -> t.AgentStanding:
        """Reinstate a suspended agent.

        Role: operator.
        """
        return self._json("POST", f"/v1/operator/agents/{segment(agent_id)}/reinstate", body=body)

    def remove_authenticator(self, body: t.RemoveAuthenticatorRequest) -> None:
        """Remove the authenticator app, with a code of it or a recovery code"""
        return self._nothing("POST", "/v1/auth/authenticator/remove", body=body)

    def remove_mandate_key(self, kid: str) -> None:
        """Remove a key and every mandate that it signed.

        New calls under these mandates are refused. Calls in progress are not affected.
        """
        return self._nothing("DELETE", f"/v1/mandate-keys/{segment(kid)}")

    def request_password_reset(self, body: t.RequestPasswordResetRequest) -> None:
        """Request a mail that resets a password.

        Answers the same for known and unknown addresses.
        """
        return self._nothing("POST", "/v1/auth/password-reset", body=body)

    def resend_confirmation(self) -> None:
        """Request another mail that confirms your email address.

        At most one mail a minute and ten an hour are sent to an address.
        """
        return self._nothing("POST", "/v1/auth/email/confirmation")

    def reset_password(self, body: t.ResetPasswordRequest) -> None:
        """Set a new password with the token of a mail.

        Confirms the address, and ends all sessions of the account. API keys and OAuth grants go on
        unless `end_keys` and `end_grants` say otherwise; those of an account whose address was not
        confirmed end. An authenticator app stays in use.
        """
        return self._nothing("POST", "/v1/auth/password-reset/confirm", body=body)

    def resolve_contest(
        self,
        contest_id: str,
        body: t.ResolveContestRequest,
    ) -> t.ResolveContestResponse:
        """Decide a contest of a finding.

        `accepted` waives the finding for `waiver_days`, and a new verification begins. `refused`
        leaves it as it is. The owner gets the reason; with `accepted`, the trust report shows it to
        everybody. Role: operator.
        """
        return self._json("POST", f"/v1/operator/contests/{segment(contest_id)}/resolve", body=body)

    def resolve_dispute(self, dispute_id: str, body: t.ResolveDisputeRequest) -> t.OperatorDispute:
        """Decide a contested dispute.

        `buyer`: the buyer is refunded in full, from the platform fee and the developer's net, and
        the call becomes `disputed`. `developer`: the earnings mature as if there had been no
        dispute. Role: operator.
        """
        return self._json("POST", f"/v1/operator/disputes/{segment(dispute_id)}/resolve", body=body)

    def resolve_operator_payment(
        self,
        payment_id: str,
        body: t.ResolveOperatorPaymentRequest,
    ) -> t.Payment:
        """Resolve a quarantined payment.

        `credit`: the amount paid is credited to `user_id`, by default to the owner of the top-up
        that the payment names. `return`: the payment was refunded at the provider, and nothing is
        credited. Both close the top-up that the payment did not match. Role: operator.
        """
        return self._json("POST", f"/v1/operator/payments/{segment(payment_id)}/resolve", body=body)

    def resolve_slash(self, slash_id: str, body: t.ResolveSlashRequest) -> t.OperatorSlash:
        """Decide a slash.

        `upheld` makes a contested slash final and refunds the buyers. `overturned` returns the
        amount to the bond; it is possible before the developer has answered. Role: operator.
        """
        return self._json("POST", f"/v1/operator/slashes/{segment(slash_id)}/resolve", body=body)

    def respond_to_dispute(self, dispute_id: str, body: t.RespondToDisputeRequest) -> t.Dispute:
        """Accept or contest a dispute of your agent.

        Possible once, before `respond_by`. Accepting refunds the buyer in full; contesting refers
        the dispute to an operator.
        """
        return self._json("POST", f"/v1/billing/disputes/{segment(dispute_id)}/respond", body=body)

    def retire_agent(self, agent_id: t.AgentId) -> t.OwnAgent:
        """Retire one of your agents permanently.

        Calls in progress are not affected; new calls are refused with 404. The name and the version
        numbers cannot be reused. Scope: `agents:publish`. Role: developer.
        """
        return self._json("POST", f"/v1/developer/agents/{segment(agent_id)}/retire")

    def retry_payout(self, payout_id: str, body: t.OptionalReason) -> t.RetryPayoutResponse:
        """Retry a failed or rolled-over payout before the next Monday.

        Role: operator.
        """
        return self._json("POST", f"/v1/operator/payouts/{segment(payout_id)}/retry", body=body)

    def return_payout(self, payout_id: str, body: t.ReturnPayoutRequest) -> t.OperatorPayout:
        """Give a payout that is in no file back to its developer.

        The payout fails with the reason, and its amount becomes part of the next payout. Role:
        operator.
        """
        return self._json("POST", f"/v1/operator/payouts/{segment(payout_id)}/return", body=body)

    def reverify_agent(self, agent_id: t.AgentId) -> t.PublishedVersion:
        """Request another verification.

        Verifies the version that is waiting or was rejected last; otherwise the serving version. At
        most once an hour for an agent (429 with Retry-After), and not while a verification goes on
        (409). Scope: `agents:publish`. Role: developer.
        """
        return self._json("POST", f"/v1/developer/agents/{segment(agent_id)}/reverify")

    def review_tax_form(self, user_id: str, body: t.ReviewTaxFormRequest) -> t.TaxForm:
        """Accept or reject a developer's latest tax form.

        Role: operator.
        """
        return self._json("POST", f"/v1/operator/tax-forms/{segment(user_id)}/review", body=body)

    def revoke_mandate(self, mandate_id: str) -> None:
        """Revoke a mandate of your account permanently.

        Identify the mandate by its `jti`; it need not have been used. Mandates delegated from it
        are revoked too. New calls under them are refused. Calls in progress are not affected.
        Revoking twice has no effect.
        """
        return self._nothing("DELETE", f"/v1/mandates/{segment(mandate_id)}")

    def revoke_oauth_grant(self, grant_id: str) -> None:
        """Revoke what a client may do for you.

        All tokens of the grant are refused from the next request on, by every API process. Calls in
        progress are not affected.
        """
        return self._nothing("DELETE", f"/v1/oauth/grants/{segment(grant_id)}")

    def revoke_waiver(self, waiver_id: str, body: t.RevokeWaiverRequest) -> t.Waiver:
        """End a waiver before it expires.

        The finding counts from the next verification on, which begins at once. Role: operator.
        """
        return self._json("POST", f"/v1/operator/waivers/{segment(waiver_id)}/revoke", body=body)

    def rotate_key(self, key_id: str, body: t.RotateKeyRequest) -> t.IssuedApiKey:
        """Rotate an API key.

        Id, scopes, cap and spent credits stay the same. The old secret stops working at once, or
        after `grace_seconds`.
        """
        return self._json("POST", f"/v1/keys/{segment(key_id)}/rotate", body=body)

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        body: t.RotateWebhookSecretRequest,
    ) -> t.IssuedWebhook:
        """Rotate the secret of a webhook.

        For `grace_seconds`, every delivery carries two signatures, by the new and by the previous
        secret, so that a receiver can change secrets without refusing deliveries. With 0, the
        previous secret stops signing at once. Scope: `webhooks:manage`.
        """
        return self._json("POST", f"/v1/webhooks/{segment(webhook_id)}/rotate-secret", body=body)

    def settle_payout(self, payout_id: str, body: t.SettlePayoutRequest) -> t.OperatorPayout:
        """Record the outcome of a payout at the bank.

        paid: the payout arrived; returned: the amount is returned to the developer and becomes part
        of the next payout. A payout that is paid can still be returned, when the bank sends the
        money back days later: its payout method is then not used again until the developer sets it
        anew. Role: operator.
        """
        return self._json("POST", f"/v1/operator/payouts/{segment(payout_id)}/settle", body=body)

    def submit_version(self, agent_id: t.AgentId, version: str) -> t.PublishedVersion:
        """Submit a draft for verification.

        Scope: `agents:publish`. Role: developer.
        """
        return self._json(
            "POST",
            f"/v1/developer/agents/{segment(agent_id)}/versions/{segment(version)}/submit",
        )

    def suspend_agent(self, agent_id: t.AgentId, body: t.OperatorReason) -> t.AgentStanding:
        """Suspend an agent.

        The agent is removed from search, and new calls are refused. Calls in progress are not
        affected. The owner sees the reason code `suspended`. Role: operator.
        """
        return self._json("POST", f"/v1/operator/agents/{segment(agent_id)}/suspend", body=body)

    def test_webhook(self, webhook_id: str) -> t.WebhookDelivery:
        """Send a test event (`webhook.test`).

        Scope: `webhooks:manage`.
        """
        return self._json("POST", f"/v1/webhooks/{segment(webhook_id)}/test")

    def top_up(
        self,
        body: t.TopUpRequest,
        *,
        idempotency_key: str | None = None,
    ) -> t.TopUpResponse:
        """Add credits to the wallet.

        100 paise (INR) or 1 cent (USD) buy 1 credit. With an `Idempotency-Key`, a repeated request
        for the same amount returns the original top-up with `Idempotent-Replayed: true` and adds no
        credits; a different amount is refused with 409.
        """
        return self._json(
            "POST",
            "/v1/billing/topup",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
            keyed=True,
        )

    def unfreeze_wallet(self, user_id: str, body: t.OperatorReason) -> t.Wallet:
        """Unfreeze a wallet.

        Role: operator.
        """
        return self._json("POST", f"/v1/operator/accounts/{segment(user_id)}/unfreeze", body=body)

    def update_webhook(self, webhook_id: str, body: t.UpdateWebhookRequest) -> t.Webhook:
        """Update a webhook.

        Omitted fields keep their values. A webhook that is enabled again receives only later
        events; redeliver the ones that it missed. Scope: `webhooks:manage`.
        """
        return self._json("PATCH", f"/v1/webhooks/{segment(webhook_id)}", body=body)

    def use_agent(
        self,
        owner: str,
        slug: t.Slug,
        body: Any | None = None,
        *,
        idempotency_key: str | None = None,
        max_cost_credits: int | None = None,
        mandate: str | None = None,
    ) -> t.UseAgentResponse:
        """Call an agent with a body in the agent's own format.

        For a self-hosted agent, the body is passed on verbatim with its content type. For an MCP
        agent, the body is `{"tool": …, "arguments": {…}}`, and the service performs the handshake.
        For an agent with a manifest, the body is its input, valid under its input schema. `owner`
        is the developer id, with or without `dev_`. The highest live major version answers. The
        call is paid like `invoke`: a failed call is free, and so is a result that an MCP tool marks
        as failed (`isError`). Scope: `agents:invoke`.
        """
        return self._json(
            "POST",
            f"/v1/agents/{segment(owner)}/{segment(slug)}/use",
            headers={"Idempotency-Key": idempotency_key, "X-Max-Cost-Credits": max_cost_credits, "X-Mandate": mandate},
            body=body,
            keyed=True,
        )

    def waive_finding(
        self,
        agent_id: t.AgentId,
        finding_id: str,
        body: t.WaiveFindingRequest,
    ) -> t.Waiver:
        """Waive a finding.

        Until the waiver expires, the finding costs no points, does not limit the badge and does not
        reject a version. The waiver covers exactly what was found: another value, place or advisory
        is another finding. A new verification begins; a rejected version is verified again. Trust
        reports show the finding with the reason. An open contest of the finding is accepted. Role:
        operator.
        """
        return self._json(
            "POST",
            f"/v1/operator/agents/{segment(agent_id)}/findings/{segment(finding_id)}/waive",
            body=body,
        )

    def withdraw_bond(self, body: t.BondAmount) -> t.BondWithdrawal:
        """Request a withdrawal from the bond.

        The notice period is 30 days. While a slash is undecided, nothing is paid. Afterwards, the
        amount that remains after slashes is paid to the wallet, and the tier is determined by the
        remaining bond. A shortfall lasts until the bond reaches its minimum. Role: developer.
        """
        return self._json("POST", "/v1/billing/developer/bond/withdraw", body=body)

    def withdraw_rubric(self, version: str, body: t.OptionalReason) -> t.RubricDetail:
        """Withdraw an announced rubric.

        Role: operator.
        """
        return self._json("POST", f"/v1/operator/rubrics/{segment(version)}/withdraw", body=body)
