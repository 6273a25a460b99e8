"""The values of the API, generated from its OpenAPI document by `npm run openapi`: do not edit.

Every object is a plain `dict` at run time. Answers may have more fields than their type names.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


class A2aError(TypedDict):
    """An error of A2A 1.0 for HTTP+JSON: the JSON form of `google.rpc.Status`."""
    error: A2aErrorError


class A2aErrorError(TypedDict):
    code: int
    """The HTTP status"""
    status: str
    """The name of the status, such as `INVALID_ARGUMENT`"""
    message: str
    """What is wrong, and what to do next"""
    details: NotRequired[list[dict[str, Any]]]
    """An `ErrorInfo` with the reason"""


class AccountMovement(TypedDict):
    transaction_id: str
    """A transaction of the ledger (`txn_…`)"""
    account: str
    """The kind of the account whose balance moved"""
    entry_type: str
    """Kind of the ledger line"""
    credits: Credits
    """Credits, at most 2 decimals"""
    description: str
    """Text for readers"""
    invocation_id: str | None
    """A call (`inv_…`)"""
    created_at: CreatedAt
    """When it was created"""
    balance_after_credits: Credits
    """Credits, at most 2 decimals"""


class AccountMovementPage(TypedDict):
    items: list[AccountMovement]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class AgentCallPage(TypedDict):
    items: list[AgentCall]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class AgentCard(TypedDict):
    """AgentCard of A2A 1.0, signed (detached JWS over RFC 8785 JSON)"""
    name: str
    description: str
    """Text for readers"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    supportedInterfaces: list[AgentCardSupportedInterface]
    capabilities: dict[str, Any]
    """Optional features of the agent"""
    defaultInputModes: list[str]
    defaultOutputModes: list[str]
    skills: list[dict[str, Any]]
    signatures: list[AgentCardSignature]


class AgentCardSignature(TypedDict):
    protected: str
    signature: str


class AgentCardSupportedInterface(TypedDict):
    url: str
    """An address"""
    protocolBinding: str
    protocolVersion: str


class AgentError(TypedDict):
    code: str
    """Stable name of the error"""
    message: str
    retryable: bool
    """The same request may succeed later"""


AgentErrors: TypeAlias = int
"""Calls that failed by a fault of the agent, or whose charge a dispute took back; not those that the
platform or the buyer ended
"""


AgentId: TypeAlias = str
"""An agent: its slug and its major version, such as `agt_unit_converter_v1`"""


AgentKind: TypeAlias = Literal["manifest", "http", "mcp"]
"""`manifest`: published with a manifest; `http` and `mcp`: registered by endpoint"""


class AgentNotice(TypedDict):
    notice_id: str
    code: Literal["credential_in_answer", "credential_in_stream", "credential_in_error", "credential_in_mcp_answer", "endpoint_in_answer", "endpoint_redirects", "endpoint_redirects_to_slash", "endpoint_redirects_from_slash", "credential_unreadable", "credential_too_short"]
    """Stable name of the error"""
    message: str
    version: str
    """The version that was observed"""
    first_seen_at: str
    """When a run detected it first"""


class AgentNoticePage(TypedDict):
    items: list[AgentNotice]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class AgentStanding(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    status: Literal["active", "suspended"]
    """Status of the item"""


AgentStatus: TypeAlias = Literal["active", "suspended", "retired"]


class AgentVersion(TypedDict):
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    status: VersionState
    endpoint_url: str
    """Shown to the owner only"""
    pricing: Pricing
    reject_reason: str | None
    """Why verification rejected the version"""
    manifest_sha256: str
    """SHA-256 of the manifest"""
    created_at: CreatedAt
    """When it was created"""
    submitted_at: str | None
    """When it was submitted"""
    live_at: str | None
    """When the version went live"""


class AgentVersionPage(TypedDict):
    items: list[AgentVersion]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ApiKey(TypedDict):
    key_id: str
    """An API key (`key_…`)"""
    name: str
    key_hint: str
    """The last four characters of the key"""
    scopes: list[Scope]
    """What the key may do"""
    credit_cap: int | None
    """Maximum credits that the key may spend over its lifetime"""
    spent_credits: float
    """Cost of its calls, less refunds; calls in progress count when they succeed"""
    expires_at: str | None
    """When it expires"""
    created_at: CreatedAt
    """When it was created"""
    last_used_at: str | None
    """Accurate to the minute"""


class ApiKeyPage(TypedDict):
    items: list[ApiKey]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ApplySlashRequest(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    credits: float
    """Greater than 0, at most 2 decimals"""
    refund: NotRequired[Literal["affected", "none"]]
    """Who gets the amount; default: affected, the buyers of the calls"""
    explanation: str
    """Explanation for readers"""
    evidence: Any
    """Any JSON of at most 32 KiB that supports the claim, such as hashes, ids or excerpts"""
    invocation_ids: list[str]
    """Calls of this agent that the failure affected"""


AuditResult: TypeAlias = Literal["consistent", "contradicted", "not_audited"]


Badge: TypeAlias = Literal["basic", "standard", "premium"]


class Balance(TypedDict):
    available_credits: Credits
    """Credits, at most 2 decimals"""
    escrow_credits: float
    """Held for calls in progress"""
    usd_equivalent: float
    """available_credits at USD 0.01 each"""
    updated_at: str
    """When it was changed last"""


class BeginAuthenticatorRequest(TypedDict):
    password: str
    """Password of the account"""


class BeginAuthenticatorResponse(TypedDict):
    secret: str
    """Base32"""
    otpauth_uri: str


class Bond(TypedDict):
    bond_credits: Credits
    """Credits, at most 2 decimals"""
    slash_hold_credits: float
    """Held by undecided slashes"""
    tier: BondTier | None
    """The highest tier whose minimum the bond reached at the latest deposit or withdrawal. It caps the
    badges of your agents. Slashes do not change it.
    """
    tiers: list[BondTierInfo]
    shortfall: BondShortfall | None
    withdrawals: list[BondWithdrawal]
    """Newest first"""


class BondAmount(TypedDict):
    credits: float
    """Greater than 0, at most 2 decimals"""


class BondShortfall(TypedDict):
    slash_id: str
    """The slash that caused the shortfall"""
    minimum_credits: float
    """The amount that the bond must reach"""
    missing_credits: Credits
    """Credits, at most 2 decimals"""
    since: str
    """When it began"""
    top_up_by: str
    remaining_seconds: int
    """For display only; the service enforces top_up_by"""
    delisted: bool
    """True when the deadline has passed and your agents are removed from search"""


BondTier: TypeAlias = Literal["basic", "standard", "premium"]


class BondTierInfo(TypedDict):
    tier: BondTier
    minimum_credits: Credits
    """Credits, at most 2 decimals"""


class BondWithdrawal(TypedDict):
    withdrawal_id: str
    status: Literal["noticed", "waiting", "paid", "void"]
    """noticed: in the notice period; waiting: the notice period is over, but a slash is undecided;
    void: the bond was empty
    """
    credits: Credits
    """Credits, at most 2 decimals"""
    paid_credits: float | None
    """Amount paid to the wallet, after slashes"""
    requested_at: str
    """When it was requested"""
    due_at: str
    """When it is due"""
    completed_at: str | None
    """When it was completed"""


class CallMovement(TypedDict):
    transaction_id: str
    """A transaction of the ledger (`txn_…`)"""
    account: str
    """The kind of the account whose balance moved"""
    entry_type: str
    """Kind of the ledger line"""
    credits: Credits
    """Credits, at most 2 decimals"""
    description: str
    """Text for readers"""
    invocation_id: str | None
    """A call (`inv_…`)"""
    created_at: CreatedAt
    """When it was created"""
    user_id: str | None
    """An account (`usr_…`)"""


class Capabilities(TypedDict):
    streaming: NotRequired[bool]
    """The agent can stream its answer"""
    idempotent: NotRequired[bool]
    """A repeated call with the same key has one effect"""
    a2a_invocable: NotRequired[bool]
    """Other agents may call the agent"""


Category: TypeAlias = Literal["data-processing", "code-generation", "document-analysis", "web-research", "media", "finance", "productivity", "communication", "security", "other"]


class ChangePasswordRequest(TypedDict):
    old_password: str
    new_password: str
    end_keys: NotRequired[bool]
    """Also end all API keys, with those of devices; default: false"""
    end_grants: NotRequired[bool]
    """Also end all OAuth grants with their tokens; default: false"""


ChangeRegistrationRequest: TypeAlias = "RegistrationChange"


class ChatMessage(TypedDict):
    role: str
    """For example user, assistant or system"""
    content: str | list[dict[str, Any]]
    """Text, or a list of parts as the agent defines them"""


class ChatRequest(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    messages: list[ChatMessage]
    session_id: NotRequired[str]
    """Continues one of your conversations"""
    max_cost_credits: NotRequired[int]
    """Maximum cost of this turn, in whole credits"""
    idempotency_key: NotRequired[str]
    """Same as the header `Idempotency-Key`"""
    mandate: NotRequired[PresentedMandate]


class ChatWithAgentRequest(TypedDict):
    messages: list[ChatMessage]
    session_id: NotRequired[str]
    """Continues one of your conversations"""
    max_cost_credits: NotRequired[int]
    """Maximum cost of this turn, in whole credits"""
    idempotency_key: NotRequired[str]
    """Same as the header `Idempotency-Key`"""
    mandate: NotRequired[PresentedMandate]


CheckState: TypeAlias = Literal["ok", "failed"]


class CodeStage(TypedDict):
    score: int
    """Points that were reached"""
    max: Literal[25]
    coverage: Coverage
    """Share of the stage's checks that could be inspected; the rest earns no points"""
    not_looked_at: list[UninspectedCheck]
    findings: list[Finding]
    """Findings of the run"""


class ConfirmAuthenticatorRequest(TypedDict):
    totp_code: TotpCode
    """A code of the authenticator app, or a recovery code"""


class ConfirmAuthenticatorResponse(TypedDict):
    recovery_codes: list[str]


class ConfirmEmailRequest(TypedDict):
    token: str
    """The token of the mail"""


class ContestFindingRequest(TypedDict):
    statement: str
    """Why the finding is wrong or does no harm; operators read it"""


class ContestFindingResponse(TypedDict):
    contest_id: str
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    finding_id: str
    """A finding (`fnd_…`)"""
    developer_user_id: str
    """Account of the developer"""
    severity: Severity
    category: str
    """Category of the item"""
    description: str
    """Text for readers"""
    finding_status: Literal["open", "acknowledged", "resolved"]
    status: Literal["open", "accepted", "refused"]
    """open: waiting for an operator; accepted: the finding is waived; refused: it counts"""
    statement: str
    """Statement of a party"""
    opened_at: str
    """When it was opened"""
    decided_at: str | None
    decision_reason: str | None
    """Reason of the decision"""
    waiver_id: str | None


class CounterSlashRequest(TypedDict):
    statement: str
    """Statement of a party"""
    evidence: NotRequired[Any]
    """Any JSON of at most 32 KiB that supports the claim, such as hashes, ids or excerpts"""


Coverage: TypeAlias = float
"""Share of the stage's checks that could be inspected; the rest earns no points"""


class CreateKeyRequest(TypedDict):
    name: str
    scopes: list[Scope]
    """What the key may do"""
    credit_cap: NotRequired[int | None]
    """Most credits that the key may spend; `null` for no cap"""
    expires_at: NotRequired[str | None]
    """ISO 8601, in the future"""


class CreateTaskRequest(TypedDict):
    input: dict[str, Any]
    """The agent's input"""
    mandate: PresentedMandate
    idempotency_key: NotRequired[str]
    """Same as the header `Idempotency-Key`"""


class CreateTaskResponse(TypedDict):
    task_id: str
    """A task; the id of its call (`inv_…`)"""
    status: TaskStatus
    trace_id: TraceId
    """Reference for tracing and support"""


CreateWebhookRequest: TypeAlias = "WebhookCreation"


CreatedAt: TypeAlias = str
"""When it was created"""


Credits: TypeAlias = float
"""Credits, at most 2 decimals"""


class DataHandling(TypedDict):
    pii_processed: bool
    """The agent processes personal data"""
    data_retention_days: int
    """Days for which the agent keeps data; 0 for none"""
    residency: Literal["eu", "us", "in", "ap", "global"]
    """Region in which data stays"""
    subprocessors: NotRequired[list[str]]
    """Hosts to which the agent sends data"""


DeliveryStatus: TypeAlias = Literal["pending", "delivered", "failed", "gone"]
"""failed: every attempt failed; gone: 410, or the webhook was disabled"""


class DeveloperTransaction(TypedDict):
    transaction_id: str
    """A transaction of the ledger (`txn_…`)"""
    credits: float
    """Positive for a credit, negative for a debit; at most 2 decimals"""
    balance_after_credits: Credits
    """Credits, at most 2 decimals"""
    invocation_id: NotRequired[str]
    """A call (`inv_…`)"""
    agent_id: NotRequired[str]
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    description: str
    """Text for readers"""
    created_at: CreatedAt
    """When it was created"""
    entry_type: Literal["invocation_earning", "dispute_refund", "bond_deposit", "bond_release", "slash", "payout", "payout_remainder"]
    """Kind of the ledger line"""
    account: Literal["payable", "bond"]


class DeveloperTransactionPage(TypedDict):
    items: list[DeveloperTransaction]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class Dispute(TypedDict):
    dispute_id: str
    """A dispute (`dsp_…`)"""
    invocation_id: str
    """A call (`inv_…`)"""
    agent_id: str
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    status: Status
    resolution: Literal["call_in_progress", "developer_accepted", "developer_silent", "operator", None]
    """How the dispute was decided"""
    reason: DisputeReason
    description: str
    """Text for readers"""
    statement: str | None
    """The developer's response"""
    decision_reason: str | None
    """The operator's explanation"""
    refunded_credits: Credits
    """Credits, at most 2 decimals"""
    opened_at: str
    """When it was opened"""
    respond_by: str | None
    """Deadline for the developer to respond; without a response the dispute is accepted. Null for a
    call that was in progress
    """
    responded_at: str | None
    """When the other side responded"""
    resolved_at: str | None
    """When it was resolved"""
    role: Literal["buyer", "developer"]
    """Your side of the dispute"""


class DisputeAttachments(TypedDict):
    """What the buyer attached for the developer and the operator, at most 256 KiB each: JSON, or text
    where it was no JSON. Its SHA-256 is the one that the call recorded
    """
    input: NotRequired[Any]
    """The input of the call"""
    output: NotRequired[Any]
    """The output of the call"""


class DisputePage(TypedDict):
    items: list[Dispute]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


DisputeReason: TypeAlias = Literal["output_incorrect", "no_response", "schema_violation", "unauthorized", "other"]


DisputeStatus: TypeAlias = Literal["open", "accepted", "contested", "won", "lost"]


class DisputedCall(TypedDict):
    """Facts about the call; its input and output are shown only in `attachments`"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    surface: str
    """Interface through which the call came"""
    invoked_at: str
    """When the call was accepted"""
    settled_at: str | None
    """When the call was settled"""
    duration_ms: int | None
    """Time of the agent in milliseconds"""
    tokens_in: int | None
    """Tokens of the input, counted by the service"""
    tokens_out: int | None
    """Tokens of the answer, counted by the service"""
    input_sha256: str
    """SHA-256 of the input as it was received"""
    output_sha256: str | None
    """SHA-256 of the answer"""
    input_bytes: int | None
    """Size of the input in bytes, as it was sent to the agent"""
    output_bytes: int | None
    """Size of the answer in bytes"""
    schema_valid: bool | None
    truncated_by: Truncation | None
    credits_charged: Credits
    """Credits, at most 2 decimals"""


Email: TypeAlias = str
"""Compared without regard to case"""


class Endpoint(TypedDict):
    url: str
    """HTTPS base URL of a public host; the service appends /invoke"""
    timeout_ms: NotRequired[int]
    """Time after which a call fails, in milliseconds"""
    max_payload_bytes: NotRequired[int]
    """Largest input of a call in bytes"""


class EndpointOwnership(TypedDict):
    """Without a proof, a host is verified once, by at most ten requests"""
    host: str
    """Host and port of the newest version’s endpoint"""
    status: Literal["unproven", "proven"]
    """A proof belongs to the agent and the origin of the endpoint"""
    method: Literal["file", "dns", "header", "loopback", None]
    """How it was proven; `loopback`: needs no proof, in development"""
    proven_at: str | None
    token: str
    """Of this agent and this endpoint URL; another URL has another token"""
    file_url: str
    """A file here that has the token on a line proves ownership"""
    dns_name: str | None
    """So does a TXT record here that is the token; null for an IP address"""
    header: str
    """So does this header, with the token, on the answer of the endpoint to GET"""


class Error(TypedDict):
    """Every error response of the service."""
    error: ErrorError
    trace_id: str
    """Reference for tracing and support; also in the header X-Trace-Id"""
    invocation_id: NotRequired[str]
    """The call that failed, if one was accepted"""
    detail: NotRequired[list[FieldProblem]]
    """One element for each invalid field; only with status 422."""


ErrorCode: TypeAlias = Literal["malformed_json", "malformed_request", "invalid_header", "second_factor_required", "not_authenticated", "invalid_credentials", "insufficient_credits", "max_cost_exceeded", "mandate_exceeded", "credit_cap_exceeded", "forbidden", "email_unconfirmed", "registration_required", "insufficient_scope", "cross_site_request", "a2a_not_allowed", "mandate_invalid", "not_found", "method_not_allowed", "request_timeout", "email_taken", "slug_taken", "version_not_higher", "idempotency_key_reused", "invalid_state", "already_disputed", "payload_too_large", "unsupported_media_type", "validation_failed", "input_schema_mismatch", "unsupported_currency", "unsafe_url", "unsafe_schema", "rate_limited", "concurrency_limited", "a2a_depth_exceeded", "internal_error", "agent_error", "agent_unreachable", "output_schema_mismatch", "response_too_large", "overloaded", "not_ready", "engine_unavailable", "client_closed", "canceled", "agent_timeout"]
"""Stable name of the error"""


class ErrorError(TypedDict):
    code: ErrorCode
    message: str
    """What is wrong, and what to do next"""
    retryable: bool
    """The same request may succeed later"""


EventType: TypeAlias = Literal["trust_score.updated", "agent.verification_completed", "agent.delisted", "agent.relisted", "finding.waived", "finding.contest_refused", "finding.waiver_ended", "invocation.succeeded", "invocation.failed", "dispute.opened", "dispute.resolved", "bond.slashed", "slash.finalized", "slash.overturned", "payout.initiated", "payout.completed", "payout.failed", "credits.loaded", "rubric.announced"]


class ExchangeRate(TypedDict):
    pair: Literal["USD/INR"]
    """Currency pair"""
    rate: str
    """Spot rate in rupees per dollar, as decimal text"""
    observed_at: str
    """When the rate was observed"""
    source: str
    loaded_by: str
    """User id of an operator, or `source:<name>`"""
    loaded_at: str


class ExchangeRatePage(TypedDict):
    items: list[ExchangeRate]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class FastForwardWorkflowRequest(TypedDict):
    workflow_id: str
    """Such as `dispute/dsp_…`"""
    seconds: int


class FastForwardWorkflowResponse(TypedDict):
    workflow_id: str
    state: str
    """`running`, how it ended, or `moving`: the clock has not arrived yet"""


class FieldProblem(TypedDict):
    """What is wrong with one field."""
    loc: list[str | int]
    """Path of the field, such as `["body", "pricing", "credits_per_call"]`"""
    msg: str
    """What is wrong with it"""
    type: str
    """Kind of the problem, such as `required`"""


class Finding(TypedDict):
    finding_id: str
    """A finding (`fnd_…`)"""
    severity: Severity
    category: str
    """Category of the item"""
    description: str
    """Text for readers"""
    risk: str
    """What the finding can mean for a buyer"""
    remediation: str
    """How to fix it"""
    file: str | None
    """Path in the bundle"""
    line: int | None
    invocation_id: str | None
    """The probe that shows it; the agent's own log has the same id"""
    points_lost: float
    """Points that the finding took from its stage; 0 if it is waived"""
    waiver: FindingWaiver | None
    status: Literal["open", "acknowledged", "resolved"]
    """A finding is resolved only by a run that no longer detects it"""
    stage: Literal["static_analysis", "supply_chain", "dynamic_testing", "red_team"]
    """Stage of verification"""
    first_seen_at: str
    """When a run detected it first"""


class FindingWaiver(TypedDict):
    """An operator has decided that the finding costs nothing until then"""
    reason: str
    """Reason that was given"""
    expires_at: str
    """When it expires"""


class FoundSubject(TypedDict):
    kind: Literal["account", "agent", "call", "dispute", "payout", "slash", "top_up"]
    """Kind of the item"""
    id: str
    user_id: str | None
    """The account whose money it concerns"""
    invocation_id: str | None
    """A call (`inv_…`)"""
    title: str
    """Such as an e-mail address or a state"""


class GetAnalyticsResponse(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    since: str
    """When it began"""
    until: str
    calls: int
    succeeded: int
    """Calls that succeeded"""
    failed: int
    """Calls that failed"""
    disputed: int
    """Calls that were disputed"""
    agent_errors: AgentErrors
    """Calls that failed by a fault of the agent, or whose charge a dispute took back; not those that
    the platform or the buyer ended
    """
    success_rate: float | None
    """Share of successes among successes and `agent_errors`"""
    p50_ms: int | None
    """Median duration of successful calls, within 1.6%"""
    p95_ms: P95Ms
    """95th percentile of the time of a call in milliseconds"""
    days: list[GetAnalyticsResponseDay]
    errors: list[GetAnalyticsResponseError]


class GetAnalyticsResponseDay(TypedDict):
    date: str
    calls: int
    succeeded: int
    """Calls that succeeded"""
    failed: int
    """Calls that failed"""
    disputed: int
    """Calls that were disputed"""
    agent_errors: AgentErrors
    """Calls that failed by a fault of the agent, or whose charge a dispute took back; not those that
    the platform or the buyer ended
    """
    success_rate: float | None
    """Share of successes among successes and `agent_errors`"""
    p50_ms: int | None
    """Median duration of successful calls, within 1.6%"""
    p95_ms: P95Ms
    """95th percentile of the time of a call in milliseconds"""
    developer_earnings_credits: Credits
    """Credits, at most 2 decimals"""


class GetAnalyticsResponseError(TypedDict):
    code: str
    """Stable name of the error"""
    calls: int


class GetDeveloperBalanceResponse(TypedDict):
    available_credits: float
    """Balance of the wallet"""
    pending_payout_credits: float
    """Earnings that are not yet part of a payout"""
    matured_credits: float
    """The part of pending_payout_credits whose dispute window has closed"""
    bond_credits: Credits
    """Credits, at most 2 decimals"""
    lifetime_earned_credits: float
    """Net of the platform fee and of amounts returned in disputes"""
    reserve: NotRequired[GetDeveloperBalanceResponseReserve]
    """Why some earnings mature later than at the end of their dispute window: until the first payout
    has arrived, those from buyers with new accounts do
    """
    updated_at: str | None
    """When it was changed last"""


class GetDeveloperBalanceResponseReserve(TypedDict):
    """Why some earnings mature later than at the end of their dispute window: until the first payout
    has arrived, those from buyers with new accounts do
    """
    reason: Literal["never_paid"]
    """Reason that was given"""
    buyers_younger_than_days: int
    matures_after_seconds: int


class GetJwksResponse(TypedDict):
    keys: list[PublicKey]


class GetListingFiguresResponse(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    days: list[GetListingFiguresResponseDay]


class GetListingFiguresResponseDay(TypedDict):
    date: str
    calls: int
    success_rate: float | None
    """Share of ended calls that succeeded"""
    p50_ms: int | None
    """Median time of a call in milliseconds"""
    p95_ms: P95Ms
    """95th percentile of the time of a call in milliseconds"""


class GetMandateJwksResponse(TypedDict):
    keys: list[PublicKey]


class GetPayoutResponseStatement(TypedDict):
    """Statement of a party"""
    lines: list[StatementLine]
    total_lines: int


class GetSecurityResponse(TypedDict):
    email: str
    """Email address of the account"""
    email_confirmed: bool
    authenticator: bool
    """An authenticator app is in use"""
    recovery_codes_left: int
    api_keys: int
    """API keys that have not expired"""
    oauth_grants: int
    """OAuth grants in use"""


class GetUsageResponse(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    since: str
    """When it began"""
    calls: int
    succeeded: int
    """Calls that succeeded"""
    failed: int
    """Calls that failed"""
    disputed: int
    """Calls that were disputed"""
    agent_errors: AgentErrors
    """Calls that failed by a fault of the agent, or whose charge a dispute took back; not those that
    the platform or the buyer ended
    """
    refunded_credits: Credits
    """Credits, at most 2 decimals"""
    gross_credits: Credits
    """Credits, at most 2 decimals"""
    developer_earnings_credits: Credits
    """Credits, at most 2 decimals"""
    platform_fee_credits: Credits
    """Credits, at most 2 decimals"""


class GetVisibilityResponse(TypedDict):
    listed: bool
    """The agent is in the catalogue"""
    reasons: list[GetVisibilityResponseReason]
    """Why this is so, one element for each reason"""


class GetVisibilityResponseReason(TypedDict):
    code: str
    """Stable name of the error"""
    message: str
    since: str
    """When it began"""
    deadline: NotRequired[str]


class HealthResponse(TypedDict):
    status: Literal["ok"]
    """Status of the item"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""


InputRole: TypeAlias = Literal["data", "instructions"]
"""`data`: the input is worked on, so that following instructions in it is an injection;
`instructions`: the input is the message of a user whom the agent follows
"""


class Invocation(TypedDict):
    invocation_id: str
    """A call (`inv_…`)"""
    agent_id: str
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    surface: str
    """Interface through which the call came"""
    status: InvocationStatus
    usage: Usage
    truncated_by: Truncation | None
    error: AgentError | None
    invoked_at: str
    """When the call was accepted"""
    settled_at: str | None
    """When the call was settled"""
    trace_id: TraceId
    """Reference for tracing and support"""
    evidence: Receipt | None


class InvocationDetailDispute(TypedDict):
    dispute_id: str
    """A dispute (`dsp_…`)"""
    status: str
    """Status of the item"""
    respond_by: str | None


class InvocationPage(TypedDict):
    items: list[Invocation]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class InvocationResult(TypedDict):
    output: Any
    """The agent's answer, valid under its output schema"""
    content_type: NotRequired[str]
    """Media type that the agent declared; only for an answer that is not JSON"""
    output_encoding: NotRequired[Literal["base64"]]
    """Only for an answer that is neither JSON nor UTF-8 text"""
    usage: Usage
    trace_id: TraceId
    """Reference for tracing and support"""
    invocation_id: str
    """A call (`inv_…`)"""
    output_expired: NotRequired[Literal[True]]
    truncated: NotRequired[Literal[True]]
    """Only for the answer of a stream that ended early"""


InvocationStatus: TypeAlias = Literal["pending", "running", "succeeded", "failed", "disputed"]


class Invoice(TypedDict):
    invoice_id: str
    """An invoice"""
    number: str
    """Consecutive within its series"""
    credits: Credits
    """Credits, at most 2 decimals"""
    amount_minor: int
    """Paise for INR, cents for USD"""
    currency: str
    """ISO 4217 currency code"""
    status: Literal["paid", "sandbox"]
    """sandbox: issued in sandbox mode; no money was paid"""
    issued_at: str
    """When it was issued"""


class InvoicePage(TypedDict):
    items: list[Invoice]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class InvokeAgentRequest(TypedDict):
    input: dict[str, Any]
    """The agent's input, valid under its input schema"""
    max_cost_credits: NotRequired[int]
    """Maximum cost of this call, in whole credits"""
    idempotency_key: NotRequired[str]
    """Same as the header `Idempotency-Key`"""
    mandate: NotRequired[PresentedMandate]


class IssueLocalCertificateRequest(TypedDict):
    host: str
    """IPv4 loopback address of the agent"""
    public_key: str
    """P-256 public key of the agent: PEM, SPKI"""


class IssueLocalCertificateResponse(TypedDict):
    certificate: str
    """PEM"""


class JsonRpcError(TypedDict):
    """An error of JSON-RPC 2.0."""
    jsonrpc: Literal["2.0"]
    id: NotRequired[str | int | None]
    """The id of the request, if it was read"""
    error: JsonRpcErrorError


class JsonRpcErrorError(TypedDict):
    code: int
    message: str
    """What is wrong, and what to do next"""
    data: NotRequired[Any]
    """Details of the error"""


class LedgerDigest(TypedDict):
    day: str
    """UTC day"""
    transactions: int
    entries: int
    moved_credits: Credits
    """Credits, at most 2 decimals"""
    entries_sha256: str
    """Chained over the day's entries in order"""
    previous_sha256: str
    """Digest of the preceding day; zeros for the first day"""
    digest_sha256: str
    """SHA-256 of the seal's payload"""
    seal: str
    """Compact JWS, verifiable with /.well-known/jwks.json"""
    sealed_at: str


class LedgerDigestPage(TypedDict):
    items: list[LedgerDigest]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class LedgerItem(TypedDict):
    transaction_id: str
    """A transaction of the ledger (`txn_…`)"""
    credits: float
    """Positive for a credit, negative for a debit; at most 2 decimals"""
    balance_after_credits: Credits
    """Credits, at most 2 decimals"""
    invocation_id: NotRequired[str]
    """A call (`inv_…`)"""
    agent_id: NotRequired[str]
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    description: str
    """Text for readers"""
    created_at: CreatedAt
    """When it was created"""
    entry_type: Literal["topup", "topup_reversal", "registration_fee", "invocation_hold", "invocation_release", "invocation_charge", "refund", "dispute_refund", "bond_deposit", "bond_release", "slash_refund"]
    """Kind of the ledger line"""


class LedgerItemPage(TypedDict):
    items: list[LedgerItem]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ListContestsResponse(TypedDict):
    items: list[ListContestsResponseItem]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ListContestsResponseItem(TypedDict):
    contest_id: str
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    finding_id: str
    """A finding (`fnd_…`)"""
    developer_user_id: str
    """Account of the developer"""
    severity: Severity
    category: str
    """Category of the item"""
    description: str
    """Text for readers"""
    finding_status: Literal["open", "acknowledged", "resolved"]
    status: Literal["open", "accepted", "refused"]
    """open: waiting for an operator; accepted: the finding is waived; refused: it counts"""
    statement: str
    """Statement of a party"""
    opened_at: str
    """When it was opened"""
    decided_at: str | None
    decision_reason: str | None
    """Reason of the decision"""
    waiver_id: str | None
    decided_by: str | None
    """User id of the operator"""


class ListDeveloperNoticesResponse(TypedDict):
    items: list[ListDeveloperNoticesResponseItem]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ListDeveloperNoticesResponseItem(TypedDict):
    notice_id: str
    code: Literal["slash_applied", "slash_final", "slash_overturned", "bond_shortfall", "bond_delisted", "bond_restored", "bond_released", "finding_waived", "contest_refused", "waiver_ended", "rubric_announced"]
    """Stable name of the error"""
    message: str
    slash_id: str | None
    """A slash (`slh_…`)"""
    agent_id: str | None
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    data: dict[str, Any]
    created_at: CreatedAt
    """When it was created"""


class ListEarningsResponse(TypedDict):
    items: list[ListEarningsResponseItem]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ListEarningsResponseItem(TypedDict):
    matures_on: str
    credits: Credits
    """Credits, at most 2 decimals"""
    earnings: int
    disputed_credits: float
    """The part of `credits` that is in an undecided dispute"""


class ListSessionsResponse(TypedDict):
    items: list[ListSessionsResponseItem]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class ListSessionsResponseItem(TypedDict):
    session_id: str
    """A session (`ses_…`)"""
    current: bool
    """The session of this request"""
    started_at: str | None
    expires_at: str
    """When it expires"""
    user_agent: str | None
    """The name that the client gave itself at the login"""
    network: str | None
    """Address of the client at the login; /64 for IPv6"""


class Listing(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    slug: str
    """Name of the agent in addresses"""
    display_name: str
    """Name that users see"""
    description: str
    """Text for readers"""
    category: str
    """Category of the item"""
    tags: list[str]
    """Words for search"""
    developer: ListingDeveloper
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    pricing: Pricing
    protocol: Protocol
    capabilities: Capabilities
    data_handling: DataHandling
    badge: str | None
    """Trust badge of the agent"""
    trust_score: int | None
    """Points of the last verification, 0 to 100"""
    homepage: str | None
    """Web page of the agent"""
    icon_url: str | None
    """URL of the icon"""
    vertical: str | None
    """Label chosen by the developer of a self-hosted agent"""
    stats: ListingStats
    created_at: CreatedAt
    """When it was created"""
    updated_at: str
    """When it was changed last"""


class ListingDetailVersion(TypedDict):
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    status: str
    """Status of the item"""
    live_at: str
    """When the version went live"""
    changelog: NotRequired[str]
    """Changes of the version"""


class ListingDeveloper(TypedDict):
    developer_id: str
    """Public id of the developer (`dev_…`)"""
    display_name: str
    """Name that users see"""


class ListingPage(TypedDict):
    items: list[Listing]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


ListingSort: TypeAlias = Literal["relevance", "trust_score", "price_asc", "price_desc", "newest", "popular"]


class ListingStats(TypedDict):
    invocations_30d: int
    """Paid calls of accounts other than that of the developer in the last 30 UTC days, today included.
    Failed calls are refunded, so those of one buyer in a day count as one. Free calls do not count.
    """
    success_rate: float | None
    """Share of these calls that succeeded, among those that succeeded or failed by a fault of the
    agent. Each buyer of a day has the same weight. Null without such calls.
    """
    p50_ms: int | None
    """Median duration of successes in milliseconds; null without paid calls"""


class LoadExchangeRateRequest(TypedDict):
    pair: Literal["USD/INR"]
    """Currency pair"""
    rate: str
    observed_at: str
    """ISO 8601"""
    source: str


class LogInByLinkRequest(TypedDict):
    token: str


class LoginRequest(TypedDict):
    email: str
    """Email address of the account"""
    password: str
    """Password of the account"""
    totp_code: NotRequired[TotpCode]
    """A code of the authenticator app, or a recovery code"""


class LookUpResponse(TypedDict):
    items: list[FoundSubject]


class Mandate(TypedDict):
    mandate_id: str
    """The `jti` of a root mandate, or the derived id of a delegated one"""
    jti: str
    parent_mandate_id: str | None
    depth: int
    """Links of the chain of mandates, from 1"""
    kid: str
    """The key that signed it"""
    subject: str
    """The agent or account that may use the mandate"""
    status: Literal["active", "expired", "revoked"]
    """Status of the item"""
    max_credits: Credits
    """Credits, at most 2 decimals"""
    spent_credits: Credits
    """Credits, at most 2 decimals"""
    reserved_credits: float
    """Maximum cost of calls in progress"""
    remaining_credits: Credits
    """Credits, at most 2 decimals"""
    max_credits_per_call: int | None
    """Most credits that one call can cost"""
    occurrences: int
    """Calls that are in progress or succeeded"""
    max_occurrences: int | None
    """Most calls that the mandate allows; `null` for no limit"""
    allowed_payees: list[str] | None
    """Agents that the mandate may pay; `null` for any"""
    not_before: str | None
    expires_at: str
    """When it expires"""
    first_used_at: str
    """When it was used first"""
    revoked_at: str | None


class MandateJwk(TypedDict):
    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: str
    y: str


class MandateKey(TypedDict):
    kid: str
    """RFC 7638 thumbprint"""
    jwk: MandateJwk
    name: str | None
    created_at: CreatedAt
    """When it was created"""


class MandateKeyPage(TypedDict):
    items: list[MandateKey]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class MandatePage(TypedDict):
    items: list[Mandate]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class Manifest(TypedDict):
    schema_version: Literal["1.0"]
    agent_id: Slug
    """Name of an agent in addresses, such as `unit-converter`"""
    display_name: str
    """Name that users see"""
    description: str
    """Text for readers"""
    version: str
    """MAJOR.MINOR.PATCH"""
    changelog: NotRequired[str]
    """Changes of the version"""
    author: NotRequired[str]
    """Always the publishing developer's id"""
    homepage: NotRequired[str]
    """Web page of the agent"""
    category: Category
    tags: NotRequired[list[str]]
    """Words for search"""
    pricing: Pricing
    endpoint: Endpoint
    input_schema: dict[str, Any]
    """JSON Schema draft 2020-12 of the input, at most 64 KiB"""
    output_schema: dict[str, Any]
    """JSON Schema draft 2020-12 of the output, at most 64 KiB"""
    examples: NotRequired[list[ManifestExample]]
    input_role: NotRequired[InputRole]
    data_handling: DataHandling
    capabilities: NotRequired[Capabilities]


class ManifestExample(TypedDict):
    """An example call. Verification sends it in every run, and the agent must answer it"""
    input: dict[str, Any]
    """A valid input"""
    output: NotRequired[Any]
    """What the agent must answer"""
    match: NotRequired[Literal["exact", "subset"]]
    """`subset`: the answer must contain `output`, and may contain more"""
    tolerance: NotRequired[float]
    """By how much numbers may differ"""


class McpMessage(TypedDict):
    jsonrpc: Literal["2.0"]
    id: NotRequired[str | int]
    method: str
    params: NotRequired[dict[str, Any]]


class McpReply(TypedDict):
    jsonrpc: Literal["2.0"]
    id: str | int | None
    result: NotRequired[dict[str, Any]]
    error: NotRequired[McpReplyError]


class McpReplyError(TypedDict):
    code: int
    """Stable name of the error"""
    message: str


NextCursor: TypeAlias = "str | None"
"""Cursor of the next page; `null` on the last page"""


class OAuthError(TypedDict):
    """An error of an OAuth endpoint."""
    error: str
    """The code, such as `invalid_grant`"""
    error_description: str
    """What is wrong, for developers"""


class OAuthGrant(TypedDict):
    grant_id: str
    """A grant to an OAuth client (`ogr_…`)"""
    client_id: str
    """A registered client, or the URL of its metadata document"""
    client_name: str
    """What the client calls itself"""
    redirect_host: str
    """Where the tokens went"""
    agent_id: str
    """The agent that the client may call"""
    scopes: list[Scope]
    """What the key may do"""
    credit_cap: int | None
    """Maximum credits over its lifetime"""
    spent_credits: float
    """As for API keys"""
    created_at: CreatedAt
    """When it was created"""
    expires_at: str
    """When it expires"""
    last_used_at: str | None
    """Accurate to the minute"""


class OAuthGrantPage(TypedDict):
    items: list[OAuthGrant]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OauthDeviceAuthorizationResponse(TypedDict):
    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class OauthKeysResponse(TypedDict):
    keys: list[Any]


class OauthRegisterRequest(TypedDict):
    client_name: NotRequired[str]
    """Name that the client gave itself"""
    redirect_uris: list[str]


class OauthRegisterResponse(TypedDict):
    client_id: str
    client_id_issued_at: int
    client_name: str
    """Name that the client gave itself"""
    redirect_uris: list[str]
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: Literal["none"]


class OauthResourceMetadataResponse(TypedDict):
    resource: str
    authorization_servers: list[str]
    scopes_supported: list[str]
    bearer_methods_supported: list[str]
    resource_name: str
    resource_documentation: str


class OauthServerMetadataResponse(TypedDict):
    issuer: str
    authorization_endpoint: str
    device_authorization_endpoint: str
    token_endpoint: str
    registration_endpoint: str
    revocation_endpoint: str
    scopes_supported: list[str]
    response_types_supported: list[str]
    response_modes_supported: list[str]
    grant_types_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    code_challenge_methods_supported: list[str]
    authorization_response_iss_parameter_supported: bool
    client_id_metadata_document_supported: bool
    service_documentation: str


class OauthTokenResponse(TypedDict):
    access_token: str
    token_type: str
    """`Bearer`, or `X-API-Key` for a device"""
    expires_in: int
    refresh_token: NotRequired[str]
    scope: str
    key_id: NotRequired[str]
    """An API key (`key_…`)"""
    email: NotRequired[str]
    """Email address of the account"""


class OpenDisputeRequest(TypedDict):
    invocation_id: str
    """A call (`inv_…`)"""
    reason: DisputeReason
    description: str
    """Text for readers"""
    attachments: NotRequired[DisputeAttachments]


OpenapiResponse: TypeAlias = dict[str, Any]


class OperatorAction(TypedDict):
    action_id: str
    operator_user_id: str | None
    """Null for a command that was run on the database host"""
    run_by: str | None
    """System user and host of a command"""
    action: str
    """Name of the action"""
    subject: str
    """Id of the affected object"""
    reason: str
    """Reason that was given"""
    details: dict[str, Any]
    trace_id: str | None
    """Reference for tracing and support"""
    created_at: CreatedAt
    """When it was created"""


class OperatorActionPage(TypedDict):
    items: list[OperatorAction]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OperatorAgent(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    developer_user_id: str
    """Account of the developer"""
    status: Literal["active", "suspended", "retired"]
    """Status of the item"""
    listed: bool
    """Whether search shows the agent"""
    badge: str | None
    """Trust badge of the agent"""
    trust_score: int | None
    """Points of the last verification, 0 to 100"""
    created_at: CreatedAt
    """When it was created"""


class OperatorCall(TypedDict):
    invocation_id: str
    """A call (`inv_…`)"""
    buyer_user_id: str
    """Account of the buyer"""
    developer_user_id: str
    """Account of the developer"""
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    surface: str
    """Interface through which the call came"""
    status: str
    """Status of the item"""
    error_code: str | None
    trace_id: TraceId
    """Reference for tracing and support"""
    invoked_at: str
    """When the call was accepted"""
    settled_at: str | None
    """When the call was settled"""
    hold: OperatorCallHold | None
    workflow_id: str
    movements: list[CallMovement]
    """Both sides of every transaction, oldest first"""


class OperatorCallHold(TypedDict):
    state: str
    credits: Credits
    """Credits, at most 2 decimals"""
    held_at: str
    forwarded_at: str | None
    """When the call was sent to the agent"""
    forwards: int
    """How often the call was sent to the agent"""
    lease_until: str


class OperatorDispute(TypedDict):
    dispute_id: str
    """A dispute (`dsp_…`)"""
    invocation_id: str
    """A call (`inv_…`)"""
    agent_id: str
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    status: Status
    resolution: Literal["call_in_progress", "developer_accepted", "developer_silent", "operator", None]
    """How the dispute was decided"""
    reason: DisputeReason
    description: str
    """Text for readers"""
    statement: str | None
    """The developer's response"""
    decision_reason: str | None
    """The operator's explanation"""
    refunded_credits: Credits
    """Credits, at most 2 decimals"""
    opened_at: str
    """When it was opened"""
    respond_by: str | None
    """Deadline for the developer to respond; without a response the dispute is accepted. Null for a
    call that was in progress
    """
    responded_at: str | None
    """When the other side responded"""
    resolved_at: str | None
    """When it was resolved"""
    buyer_user_id: str
    """Account of the buyer"""
    developer_user_id: str
    """Account of the developer"""
    resolved_by: str | None
    """User id of the operator"""


class OperatorDisputePage(TypedDict):
    items: list[OperatorDispute]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OperatorPayoutPage(TypedDict):
    items: list[OperatorPayout]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OperatorReason(TypedDict):
    reason: str
    """Recorded in the audit log"""


class OperatorSlashPage(TypedDict):
    items: list[OperatorSlash]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OptionalReason(TypedDict):
    reason: NotRequired[str]
    """Recorded in the audit log"""


class OwnAgent(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    slug: str
    """Name of the agent in addresses"""
    kind: AgentKind
    status: AgentStatus
    display_name: str
    """Name that users see"""
    serving_version: str | None
    """Version that answers calls now"""
    latest_version: AgentVersion
    listed: bool
    """The agent is in the catalogue"""
    upstream_auth_set: bool
    """Whether an upstream credential is stored"""
    badge: str | None
    """Trust badge of the agent"""
    trust_score: int | None
    """Points of the last verification, 0 to 100"""
    created_at: CreatedAt
    """When it was created"""
    updated_at: str
    """When it was changed last"""


class OwnAgentDetailLatestRun(TypedDict):
    """The newest verification run"""
    run_id: str
    """A verification run"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    state: Literal["running", "passed", "failed", "faulted"]
    """`faulted`: by a fault of the service"""
    started_at: str
    finished_at: str | None
    """When it ended"""
    stages: list[OwnAgentDetailLatestRunStage]


class OwnAgentDetailLatestRunStage(TypedDict):
    stage: Literal["static_analysis", "supply_chain", "dynamic_testing", "red_team"]
    """Stage of verification"""
    started_at: str | None
    finished_at: str | None
    """When it ended"""


class OwnAgentPage(TypedDict):
    items: list[OwnAgent]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class OwnFindingContest(TypedDict):
    """The newest contest of the finding"""
    contest_id: str
    status: Literal["open", "accepted", "refused"]
    """Status of the item"""
    statement: str
    """Statement of a party"""
    opened_at: str
    """When it was opened"""
    decided_at: str | None
    decision_reason: str | None
    """Reason of the decision"""


class OwnFindingPage(TypedDict):
    items: list[OwnFinding]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


P95Ms: TypeAlias = "int | None"
"""95th percentile of the time of a call in milliseconds"""


class PayRegistrationResponse(TypedDict):
    registration_paid: Literal[True]
    """The registration fee is paid"""
    charged_credits: Credits
    """Credits, at most 2 decimals"""
    balance_credits: Credits
    """Credits, at most 2 decimals"""


class Payment(TypedDict):
    payment_id: str
    """The provider's id of the payment"""
    provider: Literal["razorpay"]
    """Payment provider"""
    state: PaymentState
    quarantine_reason: Literal["amount_mismatch", "currency_mismatch", "unknown_topup", "topup_closed", "paid_twice", None]
    amount_minor: int
    """The amount paid"""
    currency: str
    """ISO 4217 currency code"""
    expected_minor: int | None
    """The amount of the top-up"""
    reference: str | None
    """The reference that the provider reports"""
    topup_id: str | None
    """A top-up"""
    user_id: str | None
    """The top-up's owner"""
    credited_topup_id: str | None
    """The top-up that credited the payment"""
    received_at: str
    """When it was received"""
    resolved_at: str | None
    """When it was resolved"""


class PaymentPage(TypedDict):
    items: list[Payment]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class PaymentReversal(TypedDict):
    reversal_id: str
    provider: Literal["razorpay"]
    """Payment provider"""
    kind: Literal["refund", "dispute"]
    """Kind of the item"""
    state: Literal["open", "waiting", "taken", "closed", "returned"]
    payment_id: str
    """A payment of a provider"""
    amount_minor: int
    """Amount in the minor unit of the currency"""
    currency: str
    """ISO 4217 currency code"""
    user_id: str | None
    """The account whose credits were taken back"""
    reversed_credits: Credits
    """Credits, at most 2 decimals"""
    owed_credits: Credits
    """Credits, at most 2 decimals"""
    received_at: str
    """When it was received"""
    taken_at: str | None


class PaymentReversalPage(TypedDict):
    items: list[PaymentReversal]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


PaymentState: TypeAlias = Literal["credited", "quarantined", "resolved_credited", "resolved_returned"]


class Payout(TypedDict):
    payout_id: str
    """A payout (`pay_…`)"""
    status: PayoutStatus
    credits: Credits
    """Credits, at most 2 decimals"""
    method: PayoutMethodKind | None
    amount_minor: int | None
    """Amount in the smallest unit of the currency: cents, paise, millionths of USDC"""
    currency: str | None
    """ISO 4217 currency code"""
    processing_time: str | None
    """Time from the Monday until the money arrives, by method"""
    rate: NotRequired[PayoutRate]
    reason: NotRequired[str]
    """below_minimum, no_payout_method, tax_form_required, no_exchange_rate, method_unavailable,
    method_returned, run_closed; for a failed or returned payout the reason that the bank gives, or
    treasury_short, transfer_refused, transfer_expired, authorization_canceled, chain_mismatch,
    chain_unavailable
    """
    remainder_credits: float
    """Rounding remainder, carried over to your next payout"""
    pay_to: NotRequired[str]
    """The address that receives the earnings of agents with a USD price"""
    transfer: NotRequired[PayoutTransfer]
    period_start: str
    """First moment of the period"""
    period_end: str
    """End of the period, exclusive"""
    initiated_at: str
    """When the transfer was initiated"""
    completed_at: str | None
    """When it was completed"""


class PayoutMethod(TypedDict):
    method: PayoutMethodKind
    processing_time: str
    details: dict[str, str]
    """Masked"""
    updated_at: str
    """When it was changed last"""
    returned_at: str | None
    """When the bank sent back a payout: nothing is paid until you set the method again"""


PayoutMethodKind: TypeAlias = Literal["ach", "swift", "upi", "usdc"]


class PayoutPage(TypedDict):
    items: list[Payout]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class PayoutRate(TypedDict):
    pair: Literal["USD/INR"]
    """Currency pair"""
    spot: str
    """Decimal text"""
    applied: str
    """Spot less 0.5%"""
    observed_at: str
    """When the rate was observed"""


PayoutStatus: TypeAlias = Literal["reserving", "pending", "processing", "paid", "returned", "failed", "rolled_over"]
"""reserving: your earnings are being gathered; pending: reserved; processing: in a file for the bank
or in a transfer; returned: paid, and later sent back by the bank; failed: returned to your next
payout; rolled_over: not paid this Monday, see `reason`
"""


class PayoutTransfer(TypedDict):
    network: str
    """CAIP-2 chain id"""
    asset: str
    """Address of the USDC contract"""
    state: Literal["pending", "unknown", "submitted", "confirmed", "failed"]
    """pending: signed; unknown: sent, outcome being looked up on the chain; submitted: on the chain;
    confirmed; failed: expired unused, or canceled
    """
    transaction: str | None
    """Transaction hash"""
    valid_until: str
    """When it ceases to be valid"""


class Platform(TypedDict):
    queues: PlatformQueues
    open_holds: list[PlatformOpenHold]
    """The twenty whose lease ends first"""
    schema: PlatformSchema
    partitions: PlatformPartitions
    ledger: PlatformLedger
    workflows_url: str | None
    """Workflows in Temporal's UI"""
    time_travel: bool
    """Clocks of workflows can be moved: outside production"""


class PlatformLedger(TypedDict):
    sealed_through: str | None
    """The last sealed day"""
    proven_through: str | None
    """The last day that a ledger check has proven"""
    proven_at: str | None


class PlatformOpenHold(TypedDict):
    invocation_id: str
    """A call (`inv_…`)"""
    agent_id: str
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    credits: Credits
    """Credits, at most 2 decimals"""
    held_at: str
    lease_until: str


class PlatformPartitions(TypedDict):
    months_ahead: int
    strays: int


class PlatformQueues(TypedDict):
    deliveries: WaitingWork
    verifications: WaitingWork
    payments_quarantined: WaitingWork
    mails: WaitingWork
    holds_overdue: WaitingWork
    calls: list[PlatformQueuesCall]
    payouts: list[PlatformQueuesPayout]
    cases: list[PlatformQueuesCase]


class PlatformQueuesCall(TypedDict):
    status: str
    """Status of the item"""
    surface: str
    """Interface through which the call came"""
    count: int


class PlatformQueuesCase(TypedDict):
    kind: str
    """Kind of the item"""
    status: str
    """Status of the item"""
    count: int
    oldest_seconds: int


class PlatformQueuesPayout(TypedDict):
    status: str
    """Status of the item"""
    count: int
    oldest_seconds: int


class PlatformSchema(TypedDict):
    migrations: int
    latest: str | None


class PresentedMandate(TypedDict):
    """A spend mandate, with which another account pays for the call (docs/mandates.md)"""
    type: Literal["a2a.spend.v1"]
    jws: str
    """Compact JWS, ES256"""
    parents: NotRequired[list[str]]
    """The mandates above it, root first"""
    proof: NotRequired[str]
    """Compact JWS, ES256"""


class PriceExample(TypedDict):
    calls: int
    tokens: NotRequired[int]
    """Of input and output of a call"""
    seconds: NotRequired[int]
    """Of a call"""
    credits: int
    """Of all calls"""
    usd: float
    """The same in US dollars"""
    capped: bool
    """Larger calls cost no more"""


class Pricing(TypedDict):
    model: PricingModel
    credits_per_call: NotRequired[int]
    """Credits for one call"""
    credits_per_1k_tokens: NotRequired[str]
    """Decimal string"""
    credits_per_second: NotRequired[str]
    """Decimal string"""
    max_credits_per_call: NotRequired[int]
    """Most credits that one call can cost"""
    free_tier_calls: NotRequired[int]
    """Calls that are free for each buyer"""


PricingModel: TypeAlias = Literal["per_call", "per_token", "per_second"]


class Profile(TypedDict):
    user_id: str
    """An account (`usr_…`)"""
    email: str
    """Email address of the account"""
    displayName: str
    """Name that other users see"""
    role: Literal["buyer", "developer", "operator"]
    """Role of the account"""
    developer_id: str | None
    """Public id of the developer (`dev_…`)"""
    registration_paid: bool
    """The registration fee is paid"""
    created_at: CreatedAt
    """When it was created"""


Protocol: TypeAlias = Literal["http", "mcp"]


class PublicKey(TypedDict):
    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: str
    y: str
    kid: str
    """RFC 7638 thumbprint"""
    use: Literal["sig"]
    alg: Literal["ES256"]


class PublishAgentRequest(TypedDict):
    manifest: Manifest
    """The manifest of the version"""
    bundle_base64: NotRequired[str]
    """Source bundle of the agent: gzipped tar, at most 8 MiB unpacked"""
    submit: NotRequired[bool]
    """false keeps the version as a draft"""


class PublishRubricRequest(TypedDict):
    document: RubricDocument
    changelog: str
    """Changes of the version"""
    rfc_url: NotRequired[str]
    """Where the change is discussed: the request for comments. Required when anything except texts
    differs from the rubric in effect.
    """
    comment_days: NotRequired[int]


class PublishedVersion(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    slug: str
    """Name of the agent in addresses"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    status: VersionState


class PutPayoutMethodRequest(TypedDict):
    method: PayoutMethodKind
    details: dict[str, str]
    totp_code: NotRequired[TotpCode]
    """A code of the authenticator app, or a recovery code"""


class PutTaxFormRequest(TypedDict):
    kind: Literal["w9", "w8ben", "w8bene"]
    """Kind of the item"""
    legal_name: str
    country: str
    tax_id: str


class RateFetch(TypedDict):
    fetch_id: str
    source: str
    outcome: RateOutcome
    reason: str | None
    """old_date; future_date, implausible, contradicts; unreachable, timeout, tls, redirect, too_large,
    bad_response, …
    """
    message: str | None
    rate: str | None
    """The rate that the source gave, even when it was not stored"""
    observed_at: str | None
    """When the rate was observed"""
    first_at: str
    last_at: str
    times: int
    """Number of consecutive fetches with this outcome"""


class RateFetchPage(TypedDict):
    items: list[RateFetch]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


RateOutcome: TypeAlias = Literal["loaded", "unchanged", "stale", "rejected", "failed"]
"""loaded: a new rate was stored; unchanged: the source had no new rate, as on weekends; stale: the
latest rate of the source is older than six days; rejected: the rate failed a plausibility check,
see `reason`; failed: the source gave no usable answer
"""


class RazorpayWebhookResponse(TypedDict):
    received: Literal[True]


class Readiness(TypedDict):
    status: Literal["ready", "not_ready"]
    """Status of the item"""
    checks: ReadinessChecks
    failing_loops: list[str]
    """Loops of the workers that do not do their work. They do not change `status`"""


class ReadinessChecks(TypedDict):
    postgres: CheckState
    temporal: CheckState
    worker: CheckState
    loops: CheckState


class Receipt(TypedDict):
    offer: ReceiptOffer
    authorisation: ReceiptAuthorisation
    receipt: ReceiptReceipt
    signature: str
    """Compact JWS (ES256). Its payload is the canonical JSON of the other members. Its protected
    header names the `invocation_id` and the key (a `kid` of /.well-known/jwks.json)
    """


class ReceiptAuthorisation(TypedDict):
    max_cost_credits: int | None
    """Ceiling of the call in credits"""
    mandate_jti: NotRequired[str]


class ReceiptOffer(TypedDict):
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    price: Pricing
    manifest_sha256: str
    """SHA-256 of the manifest"""


class ReceiptReceipt(TypedDict):
    input_sha256: str
    """SHA-256 of the input as it was received"""
    output_sha256: str | None
    """SHA-256 of the answer"""
    schema_valid: bool | None
    credits_charged: int
    """What the call cost when it ended"""
    truncated_by: Truncation | None
    ledger: list[str]


RegisterAgentRequest: TypeAlias = "Registration"


class RegisterMandateKeyRequest(TypedDict):
    jwk: RegisterMandateKeyRequestJwk
    name: NotRequired[str]


class RegisterMandateKeyRequestJwk(TypedDict):
    kty: Literal["EC"]
    crv: Literal["P-256"]
    x: str
    y: str
    kid: NotRequired[str]
    """RFC 7638 thumbprint"""
    alg: NotRequired[Literal["ES256"]]
    use: NotRequired[Literal["sig"]]
    key_ops: NotRequired[list[Literal["verify"]]]
    ext: NotRequired[bool]


class RegisterRequest(TypedDict):
    email: Email
    """Compared without regard to case"""
    password: str
    """Password of the account"""
    displayName: str
    """Name that other users see"""
    role: Literal["buyer", "developer"]
    """Role of the account"""


class RegisteredAgent(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    owner: str
    slug: str
    """Name of the agent in addresses"""
    status: str
    """Status of the version that this request created"""
    upstream_auth_set: bool
    """Whether an upstream credential is stored"""
    price_credits: int
    """Price of a call in whole credits"""


class Registration(TypedDict):
    slug: Slug
    """Name of an agent in addresses, such as `unit-converter`"""
    name: str
    vertical: NotRequired[str]
    """Label of your choice, shown to buyers"""
    icon_url: NotRequired[str]
    """HTTPS URL on a public host; the service never fetches it"""
    access_config: RegistrationAccessConfig
    upstream_auth: NotRequired[UpstreamAuth]
    x402: NotRequired[RegistrationX402]
    description: NotRequired[str]
    """Text for readers"""
    input_schema: NotRequired[dict[str, Any]]
    """JSON Schema draft 2020-12 of the input, at most 64 KiB"""
    output_schema: NotRequired[dict[str, Any]]
    """JSON Schema draft 2020-12 of the output, at most 64 KiB"""
    examples: NotRequired[list[ManifestExample]]
    input_role: NotRequired[InputRole]
    data_handling: NotRequired[DataHandling]
    bundle_base64: NotRequired[str]
    """The source as a gzipped tar in base64, examined by verification (docs/scanning.md). A change
    without it keeps the last one
    """
    submit: NotRequired[bool]
    """false keeps version 1.0.0 as a draft, which is verified when it is submitted; default true"""


class RegistrationAccessConfig(TypedDict):
    endpoint_url: str
    """HTTPS URL on a public host; called without changes, never shown to buyers"""
    price_per_call_units: NotRequired[int]
    """Hundredths of a credit; a call is charged in whole credits, rounded up"""
    protocol: NotRequired[RegistrationProtocol]


class RegistrationChange(TypedDict):
    name: NotRequired[str]
    vertical: NotRequired[str | None]
    """Label of your choice, shown to buyers"""
    icon_url: NotRequired[str | None]
    """HTTPS URL on a public host; the service never fetches it"""
    access_config: NotRequired[RegistrationChangeAccessConfig]
    upstream_auth: NotRequired[UpstreamAuth]
    x402: NotRequired[RegistrationChangeX402 | None]
    description: NotRequired[str | None]
    """Text for readers"""
    input_schema: NotRequired[None]
    """JSON Schema of the input"""
    output_schema: NotRequired[None]
    """JSON Schema of the output"""
    examples: NotRequired[list[ManifestExample] | None]
    input_role: NotRequired[InputRole | None]
    data_handling: NotRequired[DataHandling | None]
    """How the agent handles personal data"""
    bundle_base64: NotRequired[str]
    """The source as a gzipped tar in base64, examined by verification (docs/scanning.md). A change
    without it keeps the last one
    """
    totp_code: NotRequired[TotpCode]
    """A code of the authenticator app, or a recovery code"""
    submit: NotRequired[bool]
    """false keeps the new version as a draft; default true, or false while the newest version is a
    draft
    """


class RegistrationChangeAccessConfig(TypedDict):
    endpoint_url: NotRequired[str]
    """HTTPS URL on a public host; called without changes, never shown to buyers"""
    price_per_call_units: NotRequired[int]
    """Hundredths of a credit; a call is charged in whole credits, rounded up"""
    protocol: NotRequired[RegistrationProtocol]


class RegistrationChangeX402(TypedDict):
    price_usd: NotRequired[float]
    """At most 6 decimals; 1 cent is 1 credit, rounded up"""
    pay_to: NotRequired[str]
    """EVM address; mixed case must be its EIP-55 checksum"""


RegistrationProtocol: TypeAlias = Literal["http", "mcp"]
"""`mcp` for an MCP server (Streamable HTTP); cannot be changed later"""


class RegistrationView(TypedDict):
    slug: str
    """Name of the agent in addresses"""
    name: str
    vertical: str | None
    """Label chosen by the developer of a self-hosted agent"""
    icon_url: str | None
    """URL of the icon"""
    access_config: RegistrationViewAccessConfig
    x402: RegistrationViewX402 | None
    description: NotRequired[str]
    """Text for readers"""
    input_schema: NotRequired[dict[str, Any]]
    """JSON Schema draft 2020-12 of the input, at most 64 KiB"""
    output_schema: NotRequired[dict[str, Any]]
    """JSON Schema draft 2020-12 of the output, at most 64 KiB"""
    examples: NotRequired[list[ManifestExample]]
    input_role: NotRequired[InputRole]
    data_handling: NotRequired[DataHandling]
    upstream_auth_set: bool
    price_credits: int


class RegistrationViewAccessConfig(TypedDict):
    endpoint_url: str
    """Shown to the owner only"""
    price_per_call_units: int | None
    protocol: RegistrationProtocol


class RegistrationViewX402(TypedDict):
    price_usd: float
    pay_to: str


class RegistrationX402(TypedDict):
    price_usd: float
    """At most 6 decimals; 1 cent is 1 credit, rounded up"""
    pay_to: str
    """EVM address; mixed case must be its EIP-55 checksum"""


class RemoveAuthenticatorRequest(TypedDict):
    totp_code: TotpCode
    """A code of the authenticator app, or a recovery code"""


class RequestPasswordResetRequest(TypedDict):
    email: Email
    """Compared without regard to case"""


class ResetPasswordRequest(TypedDict):
    token: str
    """The token of the mail"""
    new_password: str
    end_keys: NotRequired[bool]
    """Also end all API keys, with those of devices; default: false"""
    end_grants: NotRequired[bool]
    """Also end all OAuth grants with their tokens; default: false"""


class ResolveContestRequest(TypedDict):
    decision: Literal["accepted", "refused"]
    """Decision of the operator"""
    reason: str
    """For the owner, the audit log and, with `accepted`, the trust report"""
    waiver_days: NotRequired[int]
    """How long the waiver holds"""


class ResolveDisputeRequest(TypedDict):
    decision: Literal["buyer", "developer"]
    """Decision of the operator"""
    reason: str
    """Reason that was given"""


class ResolveOperatorPaymentRequest(TypedDict):
    decision: Literal["credit", "return"]
    """Decision of the operator"""
    reason: str
    """Reason that was given"""
    user_id: NotRequired[str]
    """An account (`usr_…`)"""


class ResolveSlashRequest(TypedDict):
    decision: Literal["upheld", "overturned"]
    """Decision of the operator"""
    reason: str
    """Reason that was given"""


class RespondToDisputeRequest(TypedDict):
    decision: Literal["accept", "contest"]
    """Decision of the operator"""
    statement: str
    """Statement of a party"""


class RetryPayoutResponse(TypedDict):
    period_end: str
    """End of the period, exclusive"""
    attempt: int
    """Number of the attempt, from 1"""


class ReturnPayoutRequest(TypedDict):
    reason: str
    """Reason that was given"""


class ReviewTaxFormRequest(TypedDict):
    decision: Literal["accepted", "rejected"]
    """Decision of the operator"""
    reason: str
    """Reason that was given"""


class RevokeWaiverRequest(TypedDict):
    reason: str
    """For the owner and the audit log"""


class RotateKeyRequest(TypedDict):
    grace_seconds: NotRequired[int]


class RotateWebhookSecretRequest(TypedDict):
    grace_seconds: NotRequired[int]


class Rubric(TypedDict):
    version: str
    """Version number, `MAJOR.MINOR.PATCH`"""
    status: Literal["announced", "rolling_out", "in_effect", "withdrawn"]
    """rolling_out: new runs use it, and every agent runs again within 30 days; in_effect: every agent
    has. When several are in effect, the newest is used
    """
    changelog: str
    """Changes of the version"""
    rfc_url: str | None
    """Where the change is discussed until `comment_ends_at`"""
    weights_changed: bool
    """True when it can change scores; its comment period is then at least 30 days"""
    published_at: str
    """When it was published"""
    comment_ends_at: str
    effective_at: str | None
    """When it takes effect"""


RubricDocument: TypeAlias = dict[str, Any]
"""Points, severities, thresholds and texts"""


class RubricPage(TypedDict):
    items: list[Rubric]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


Scope: TypeAlias = Literal["agents:invoke", "agents:publish", "agents:read", "billing:read", "webhooks:manage"]
"""agents:read covers listings, usage and trust reports; billing:read covers the wallet, earnings and
disputes
"""


class SettlePayoutRequest(TypedDict):
    result: Literal["paid", "returned"]
    reason: str
    """Reason that was given"""


Severity: TypeAlias = Literal["critical", "high", "medium", "low", "info"]
"""How serious it is"""


class Slash(TypedDict):
    slash_id: str
    """A slash (`slh_…`)"""
    agent_id: str
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    status: Literal["applied", "contested", "final", "overturned"]
    """applied: the developer can contest it; contested: waiting for an operator; final: buyers are
    refunded; overturned: returned to the bond
    """
    resolution: Literal["developer_silent", "operator", None]
    """How the slash was decided"""
    credits: float
    """Amount that left the bond: at most the bond and, if buyers are refunded, at most what was left
    of the charges of the calls. When calls are refunded otherwise before the slash is final, their
    part returns to the bond
    """
    requested_credits: float
    """Amount that the operator requested"""
    refund: Literal["affected", "none"]
    """affected: the amount goes to the buyers of the calls; none: the platform keeps it as a penalty"""
    explanation: str
    """Explanation for readers"""
    evidence: Any
    calls: list[SlashCall]
    counter_argument: SlashCounterArgument | None
    decision_reason: str | None
    """The operator's explanation"""
    applied_at: str
    """When the slash was applied"""
    counter_by: str
    """Deadline for the developer to contest; afterwards the slash becomes final"""
    resolved_at: str | None
    """When it was resolved"""
    top_up_by: str | None
    """Deadline for topping up the bond; set when this slash left it below its tier's minimum"""
    remaining_seconds: int | None
    """Seconds until the current deadline (counter_by, then top_up_by); null without one. For display
    only
    """


class SlashCall(TypedDict):
    invocation_id: str
    """A call (`inv_…`)"""
    refunded_credits: float | None
    """Refund of the call's buyer; null until the slash is final"""


class SlashCounterArgument(TypedDict):
    statement: str
    """Statement of a party"""
    evidence: Any
    created_at: CreatedAt
    """When it was created"""


class SlashPage(TypedDict):
    items: list[Slash]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


Slug: TypeAlias = str
"""Name of an agent in addresses, such as `unit-converter`"""


class StatementLine(TypedDict):
    type: Literal["invocation_earning", "payout_remainder", "payout_returned"]
    invocation_id: NotRequired[str]
    """A call (`inv_…`)"""
    agent_id: NotRequired[str]
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    payout_id: NotRequired[str]
    """The payout that was returned"""
    gross_credits: Credits
    """Credits, at most 2 decimals"""
    fee_credits: Credits
    """Credits, at most 2 decimals"""
    taken_back_credits: float
    """Amount returned in disputes before the payout"""
    credits: float
    """Negative for an amount carried over to the next payout"""
    at: str


Status: TypeAlias = Literal["open", "accepted", "contested", "won", "lost"]
"""open: waiting for the developer; accepted: the buyer is refunded in full; contested: waiting for an
operator; won, lost: decided for or against the buyer
"""


class Task(TypedDict):
    task_id: str
    """A task; the id of its call (`inv_…`)"""
    status: TaskStatus
    trace_id: TraceId
    """Reference for tracing and support"""
    output: NotRequired[Any]
    """The agent's answer, valid under its output schema"""
    content_type: NotRequired[str]
    """Media type of an output that is not JSON"""
    output_encoding: NotRequired[Literal["base64"]]
    """Set for an output that is neither JSON nor UTF-8 text"""
    output_expired: NotRequired[Literal[True]]
    usage: NotRequired[Usage]
    error: NotRequired[TaskError]


class TaskError(TypedDict):
    code: str
    """Stable name of the error"""
    message: str
    retryable: bool
    """The same request may succeed later"""


TaskStatus: TypeAlias = Literal["accepted", "running", "succeeded", "failed", "canceled", "rejected"]


class TaxForm(TypedDict):
    kind: Literal["w9", "w8ben", "w8bene"]
    """Kind of the item"""
    status: Literal["submitted", "accepted", "rejected"]
    """Status of the item"""
    details: dict[str, str]
    """Masked"""
    submitted_at: str
    """When it was submitted"""
    reviewed_at: str | None
    review_reason: str | None


class TopUpRequest(TypedDict):
    amountPaise: int
    """Minor units of the currency (paise or cents), as an integer"""
    currency: str
    """INR or USD"""


class TopUpResponse(TypedDict):
    topup_id: str
    """A top-up"""
    status: Literal["succeeded", "pending", "failed"]
    """Status of the item"""
    credits: Credits
    """Credits, at most 2 decimals"""
    amount_minor: int
    """Paise for INR, cents for USD"""
    currency: str
    """ISO 4217 currency code"""
    payment_url: NotRequired[str]
    """Page on which the payment is made"""
    invoice_id: NotRequired[str]
    """An invoice"""
    balance: Balance


Total: TypeAlias = int
"""Number of items on all pages. Left out for lists of more than 1000 items"""


TotpCode: TypeAlias = str
"""A code of the authenticator app, or a recovery code"""


TraceId: TypeAlias = str
"""Reference for tracing and support"""


Truncation: TypeAlias = Literal["ceiling", "client_closed"]
"""What ended a streamed answer that was paid as far as it was delivered"""


TrustBadge: TypeAlias = Literal["basic", "standard", "premium"]


class TrustReport(TypedDict):
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    version: Version
    """Version number, `MAJOR.MINOR.PATCH`"""
    run_id: str
    """A verification run"""
    score: int
    """Points that were reached"""
    badge: TrustBadge | None
    """Trust badge of the agent"""
    rubric_version: str
    """Version of the rubric"""
    verified_at: str
    """When the version was verified"""
    stages: TrustReportStages
    ceiling: TrustReportCeiling
    """The score without any finding: what was not examined earns no points. Reasons, most points first"""
    advisories: list[TrustReportAdvisory]
    """Until when the advisories reach that the run used; none for an ecosystem without data"""
    summary: str
    next_verification: str
    """When the agent is verified again"""
    data_handling: TrustReportDataHandling
    """Data-handling declarations, and whether observations contradict them"""
    latency: TrustReportLatency
    """How long the answers to the probes of the run took; null if none was answered"""
    declarations: list[TrustReportDeclaration]
    """The declarations of the manifest that this run contradicts; empty if there is none"""
    serves: bool
    """False for a rejected or superseded version, whose report only the owner sees"""
    signature: str
    """Compact JWS (ES256). Its payload is the canonical JSON of the other members. Its protected
    header names the key (a `kid` of /.well-known/jwks.json), the `agent_id` and `typ`
    `trust-report+jws`
    """


class TrustReportAdvisory(TypedDict):
    ecosystem: Literal["npm", "PyPI"]
    date: str


class TrustReportCeiling(TypedDict):
    """The score without any finding: what was not examined earns no points. Reasons, most points first"""
    score: int
    """Points that were reached"""
    badge: TrustBadge | None
    """Trust badge of the agent"""
    reasons: list[TrustReportCeilingReason]
    """Why this is so, one element for each reason"""


class TrustReportCeilingReason(TypedDict):
    code: str
    """Stable name of the error"""
    points: float
    why: str
    remedy: str


class TrustReportDataHandling(TypedDict):
    """Data-handling declarations, and whether observations contradict them"""
    pii_processed: TrustReportDataHandlingPiiProcessed
    """The agent processes personal data"""
    subprocessors: TrustReportDataHandlingSubprocessors
    """Hosts to which the agent sends data"""
    residency: TrustReportDataHandlingResidency
    """Region in which data stays"""
    data_retention_days: TrustReportDataHandlingDataRetentionDays
    """Days for which the agent keeps data; 0 for none"""


class TrustReportDataHandlingDataRetentionDays(TypedDict):
    """Days for which the agent keeps data; 0 for none"""
    declared: int
    """What the manifest declares"""
    result: Literal["not_audited"]


class TrustReportDataHandlingPiiProcessed(TypedDict):
    """The agent processes personal data"""
    declared: bool
    """What the manifest declares"""
    result: AuditResult


class TrustReportDataHandlingResidency(TypedDict):
    """Region in which data stays"""
    declared: str
    """What the manifest declares"""
    result: Literal["not_audited"]


class TrustReportDataHandlingSubprocessors(TypedDict):
    """Hosts to which the agent sends data"""
    declared: list[str]
    """What the manifest declares"""
    result: AuditResult


class TrustReportDeclaration(TypedDict):
    declaration: str
    contradicted_by: list[str]
    """The findings of this report that contradict it"""


class TrustReportLatency(TypedDict):
    """How long the answers to the probes of the run took; null if none was answered"""
    p50_ms: int | None
    """Median time of a call in milliseconds"""
    p95_ms: P95Ms
    """95th percentile of the time of a call in milliseconds"""
    p99_ms: int | None


class TrustReportPage(TypedDict):
    items: list[TrustReport]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class TrustReportStages(TypedDict):
    static_analysis: CodeStage
    supply_chain: CodeStage
    dynamic_testing: TrustReportStagesDynamicTesting
    red_team: TrustReportStagesRedTeam


class TrustReportStagesDynamicTesting(TypedDict):
    score: int
    """Points that were reached"""
    max: Literal[30]
    coverage: Coverage
    """Share of the stage's checks that could be inspected; the rest earns no points"""
    not_looked_at: list[UninspectedCheck]
    findings: list[Finding]
    """Findings of the run"""


class TrustReportStagesRedTeam(TypedDict):
    score: int
    """Points that were reached"""
    max: Literal[20]
    coverage: Coverage
    """Share of the stage's checks that could be inspected; the rest earns no points"""
    not_looked_at: list[UninspectedCheck]
    findings: list[Finding]
    """Findings of the run"""


class UninspectedCheck(TypedDict):
    check: str
    coverage: float
    """Share that could be inspected"""
    reasons: list[str]
    """Why this is so, one element for each reason"""


UpdateWebhookRequest: TypeAlias = "WebhookChange"


class UpstreamAuth(TypedDict):
    """Credential sent with every call to the endpoint; stored encrypted"""
    header: NotRequired[str]
    """Header that carries the key"""
    key: str
    """At most 8192 bytes; never shown again; empty for no credential"""


class Usage(TypedDict):
    tokens_in: int
    """Tokens of the input, counted by the service"""
    tokens_out: int
    """Tokens of the answer, counted by the service"""
    duration_ms: int
    """Time of the agent in milliseconds"""
    credits_charged: int
    """Credits that the call cost"""


class UseAgentResponse(TypedDict):
    output: Any
    """The agent's answer: JSON, the result of a tool, or any other answer as a string with
    `content_type`
    """
    content_type: NotRequired[str]
    """Media type that the agent declared; only for an answer that is not JSON"""
    output_encoding: NotRequired[Literal["base64"]]
    """Only for an answer that is neither JSON nor UTF-8 text"""
    usage: Usage
    trace_id: TraceId
    """Reference for tracing and support"""
    invocation_id: str
    """A call (`inv_…`)"""
    output_expired: NotRequired[Literal[True]]
    truncated: NotRequired[Literal[True]]


Version: TypeAlias = str
"""Version number, `MAJOR.MINOR.PATCH`"""


VersionState: TypeAlias = Literal["draft", "submitted", "verifying", "verified", "live", "superseded", "rejected"]


class WaitingTaxFormPage(TypedDict):
    items: list[WaitingTaxForm]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class WaitingWork(TypedDict):
    count: int
    oldest_seconds: int


class WaiveFindingRequest(TypedDict):
    reason: str
    """For the trust report and the audit log"""
    waiver_days: NotRequired[int]
    """How long the waiver holds"""


class Waiver(TypedDict):
    waiver_id: str
    agent_id: AgentId
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    finding_id: str
    """A finding (`fnd_…`)"""
    severity: Severity
    category: str
    """Category of the item"""
    description: str
    """Text for readers"""
    reason: str
    """Reason that was given"""
    granted_by: str
    """User id of the operator"""
    granted_at: str
    expires_at: str
    """When it expires"""
    ended_at: str | None
    ended_by: str | None
    """Null if the waiver expired"""
    end_reason: str | None


class WaiverPage(TypedDict):
    items: list[Waiver]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class Wallet(TypedDict):
    user_id: str
    """An account (`usr_…`)"""
    email: str
    """Email address of the account"""
    role: Literal["buyer", "developer", "operator"]
    """Role of the account"""
    wallet_frozen: bool
    frozen_since: str | None
    debt_credits: float
    """Owed for refunded or charged back payments. Top-ups pay it first; until then the wallet is
    frozen.
    """


class Webhook(TypedDict):
    webhook_id: str
    """A webhook (`whk_…`)"""
    url: str
    """An address"""
    types: list[EventType]
    agent_id: str | None
    """Limits the webhook to events of this agent"""
    enabled: bool
    """The webhook receives events"""
    disabled_reason: Literal["owner"] | Literal["gone"] | None
    """owner: you disabled it; gone: the endpoint answered 410"""
    previous_secret_expires_at: str | None
    """The previous secret also signs deliveries until then"""
    created_at: CreatedAt
    """When it was created"""
    updated_at: str
    """When it was changed last"""


class WebhookChange(TypedDict):
    url: NotRequired[str]
    """HTTPS URL on a public host; a redirect counts as a failed attempt"""
    types: NotRequired[list[EventType]]
    agent_id: NotRequired[AgentId | None]
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""
    enabled: NotRequired[bool]
    """The webhook receives events"""


class WebhookCreation(TypedDict):
    url: str
    """HTTPS URL on a public host; a redirect counts as a failed attempt"""
    types: list[EventType]
    agent_id: NotRequired[AgentId | None]
    """An agent: its slug and its major version, such as `agt_unit_converter_v1`"""


class WebhookDelivery(TypedDict):
    delivery_id: str
    """A delivery (`whd_…`)"""
    event_id: str
    """The `webhook-id` of every attempt"""
    status: DeliveryStatus
    body: WebhookDeliveryBody
    attempts: list[WebhookDeliveryAttempt]
    """Attempts of the delivery so far"""
    created_at: CreatedAt
    """When it was created"""
    finished_at: str | None
    """When it ended"""


class WebhookDeliveryAttempt(TypedDict):
    attempt: int
    """Number of the attempt, from 1"""
    at: str
    status: int | None
    """HTTP status; null without a response"""
    error: str | None
    """Why the attempt got no usable response: unreachable (also for an address that is not public),
    tls, timeout, redirect, …
    """
    duration_ms: int
    """Time of the agent in milliseconds"""


class WebhookDeliveryBody(TypedDict):
    type: str
    timestamp: str
    data: dict[str, Any]


class WebhookDeliveryPage(TypedDict):
    items: list[WebhookDelivery]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class WebhookPage(TypedDict):
    items: list[Webhook]
    next_cursor: NextCursor
    """Cursor of the next page; `null` on the last page"""
    total: NotRequired[Total]
    """Number of items on all pages. Left out for lists of more than 1000 items"""


class AgentCall(DisputedCall):
    invocation_id: str
    """A call (`inv_…`)"""
    status: InvocationStatus
    error: AgentError | None
    agent_error: bool
    """It counts among `agent_errors`"""
    trace_id: TraceId
    """Reference for tracing and support"""


class AgentVersionDetail(AgentVersion):
    manifest: Manifest | None
    """The manifest of the version"""
    registration: RegistrationView | None


class DisputeWithCall(Dispute):
    call: DisputedCall
    attachments: DisputeAttachments


class GetContestResponse(ContestFindingResponse):
    decided_by: str | None
    """User id of the operator"""


class GetPayoutResponse(Payout):
    statement: GetPayoutResponseStatement
    """Statement of a party"""


class InvocationDetail(Invocation):
    refunded_credits: float
    """What a dispute or a slash returned of `usage.credits_charged`"""
    forwarded_at: str | None
    """When the call was sent to the agent"""
    dispute: InvocationDetailDispute | None
    output: NotRequired[Any]
    content_type: NotRequired[str]
    """Media type that the agent declared; only for an answer that is not JSON"""
    output_encoding: NotRequired[Literal["base64"]]
    """Only for an answer that is neither JSON nor UTF-8 text"""


class IssuedApiKey(ApiKey):
    key: str
    """Shown once, in this response"""


class IssuedWebhook(Webhook):
    secret: str
    """Shown once, in this response"""


class ListingDetail(Listing):
    max_cost_usd: float
    """Maximum price of a call, in US dollars"""
    price_examples: list[PriceExample]
    """What calls of usual sizes cost"""
    input_schema: None
    """JSON Schema of the input"""
    output_schema: None
    """JSON Schema of the output"""
    examples: list[Any]
    """Example inputs"""
    versions: list[ListingDetailVersion]
    """Versions of the agent, newest first"""


class OpenidConfigurationResponse(OauthServerMetadataResponse):
    jwks_uri: str
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]


class OperatorDisputeWithCall(OperatorDispute):
    call: DisputedCall
    attachments: DisputeAttachments


class OperatorPayout(Payout):
    developer_user_id: str
    """Account of the developer"""
    attempt: int
    """Number of the attempt, from 1"""
    file_id: str | None
    """A payment file"""
    retriable: NotRequired[bool]
    """In lists: it failed or rolled over, and no later payout of the developer has taken its amount
    along
    """


class OperatorSlash(Slash):
    developer_user_id: str
    """Account of the developer"""
    applied_by: str
    """User id of the operator"""
    resolved_by: str | None
    """User id of the operator"""


class OwnAgentDetail(OwnAgent):
    signing_secret: str
    """Standard Webhooks secret (whsec_…) that signs calls to this agent"""
    manifest: Manifest | None
    """The manifest of the version"""
    registration: RegistrationView | None
    ownership: EndpointOwnership | None
    latest_run: OwnAgentDetailLatestRun | None


class OwnFinding(Finding):
    serves: bool
    """False for a rejected version"""
    contest: OwnFindingContest | None


class ResolveContestResponse(ContestFindingResponse):
    decided_by: str | None
    """User id of the operator"""


class RubricDetail(Rubric):
    document: RubricDocument


class WaitingTaxForm(TaxForm):
    form_id: str
    developer_user_id: str
    """Account of the developer"""
