import type { ApiScope } from '../../domain/accounts/api-key';
import { MAX_CAP_CREDITS, SCOPE_WORDS, SUGGESTED_CAP_CREDITS } from '../../domain/accounts/oauth-grant';
import { limitFields, type LimitTexts } from './limit-form';
import { markup, type Html, type Page } from './html';
import { ownerField, type OwnerOptions } from './owner-field';

/** What the person decides about. Names and addresses of clients and agents are untrusted text. */
export interface Question {
  clientName: string;
  /** The URL of the client's metadata document; undefined for a registered client. */
  clientDocument: string | undefined;
  redirectHost: string;
  /** Null for the market. */
  agentId: string | null;
  agentName: string;
  scopes: readonly ApiScope[];
}

export interface FormOptions {
  /** Path and query that the form posts to. */
  action: string;
  csrf: string;
  /** What was wrong with the last attempt. */
  problem?: string | undefined;
}

export const form = ({ action, csrf, problem }: FormOptions, fields: Html) => markup`
${problem === undefined ? '' : markup`<p class="error" role="alert">${problem}</p>`}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
${fields}
</form>`;

/** The fields of a sign-in. */
export const signInFields = (email = '') => markup`
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<label for="totp_code">Code of your authenticator app, if the account has one</label>
<input id="totp_code" name="totp_code" inputmode="numeric" autocomplete="one-time-code">
<button class="first" name="action" value="sign_in">Sign in</button>`;

/** The field for a spending cap. */
export const capField = (cap: string) => markup`
<label for="credit_cap">Spending cap in credits, in total</label>
<input id="credit_cap" name="credit_cap" inputmode="numeric" pattern="[0-9]*" maxlength="${String(MAX_CAP_CREDITS).length}"
 value="${cap}" aria-describedby="cap_note">
<p id="cap_note" class="note">A call that could exceed the cap is refused. Leave the field empty for no cap.</p>`;

/** Asks for email and password. */
export function signInPage(question: Question, options: FormOptions & { email?: string | undefined }): Page {
  return {
    title: 'Sign in to continue',
    body: markup`<p>The application “${question.clientName}” asks to call ${question.agentId === null ? 'agents of the market' : markup`the agent “${question.agentName}”`} for you.
Sign in to decide. The application does not see your password.</p>${form(options, signInFields(options.email))}`,
  };
}

/** Asks whether the client may call the agent, and up to which spending. */
export function consentPage(
  question: Question,
  options: FormOptions & OwnerOptions & { given?: LimitTexts | undefined },
): Page {
  const { email, given } = options;
  const isMarket = question.agentId === null;
  const cap = given?.credit_cap ?? String(SUGGESTED_CAP_CREDITS);
  const fields = markup`${ownerField(options)}${isMarket ? limitFields(given ?? { credit_cap: cap }) : capField(cap)}
<button class="first" name="action" value="allow">Allow</button>
<button name="action" value="deny">Refuse</button>
<button name="action" value="switch" formnovalidate>Use another account</button>`;
  return {
    title: `Allow “${question.clientName}” to call ${isMarket ? 'agents' : 'an agent'}?`,
    body: markup`${summary(question, email)}
<p class="note">Anybody can choose the name of an application. Allow it only if you started this in an application
that you trust, and if the address above is its own.</p>${form(options, fields)}
<p class="note">You can revoke the permission at any time with <code>market grants revoke</code>, or with
<code>DELETE /v1/oauth/grants</code>.</p>`,
  };
}

/** Says how to confirm the address of the account, without which calls are refused. */
export function unconfirmedPage(options: FormOptions & { email: string }): Page {
  const fields = markup`<button class="first" name="action" value="reload">I have confirmed it</button>
<button name="action" value="switch">Use another account</button>`;
  return {
    title: 'Confirm your email address first',
    body: markup`<p>The address ${options.email} of your account is not confirmed, so every call would be refused.</p>
<ol>
<li>Open the mail “Confirm your email address” that was sent to it, and follow its link.</li>
<li>No mail? <a href="/console/account#address">Your account</a> in the console sends another one.</li>
<li>Come back to this page.</li>
</ol>${form(options, fields)}`,
  };
}

const scopeWords = (scope: ApiScope, agentId: string | null) =>
  agentId === null && scope === 'agents:invoke'
    ? 'Call agents and pay for the calls with your credits'
    : SCOPE_WORDS[scope];

function summary(question: Question, email: string): Html {
  const { clientName, clientDocument, redirectHost, agentName, agentId, scopes } = question;
  const document =
    clientDocument === undefined ? '' : markup`<dt>Described at</dt><dd>${clientDocument}</dd>`;
  return markup`<dl>
<dt>Application</dt><dd>${clientName} (the name that it gives itself)</dd>
${document}
<dt>You are sent back to</dt><dd><strong>${redirectHost}</strong></dd>
<dt>Agent</dt><dd>${agentId === null ? 'every agent of the market, within the limits below' : markup`${agentName} (<code>${agentId}</code>)`}</dd>
<dt>It may</dt><dd><ul>${scopes.map((scope) => markup`<li>${scopeWords(scope, agentId)} (<code>${scope}</code>)</li>`)}</ul></dd>
<dt>Your account</dt><dd>${email}</dd>
</dl>`;
}

/** Sends the person back to the client, by itself and by a link. */
export function returnPage(title: string, redirectHost: string, address: string): Page {
  return {
    title,
    next: address,
    body: markup`<p>You are taken back to ${redirectHost}. <a href="${address}">Continue</a></p>`,
  };
}

/** Explains why a request cannot go on. `back`: an address of the client that the person may open. */
export function problemPage(message: string, back?: { host: string; address: string }): Page {
  const link = back ? markup`<p><a href="${back.address}">Go back to ${back.host}</a></p>` : '';
  return {
    title: 'This request cannot continue',
    body: markup`<p class="error" role="alert">${message}</p>${link}`,
  };
}

/**
 * Asks for a click before a login by an identity provider begins. A link, because the answer to a form may not redirect
 * to the provider under `form-action 'self'`. The name of the organisation is untrusted text.
 */
export function beginPage(
  { organisation, host }: { organisation: string; host: string },
  address: string,
): Page {
  return {
    title: 'Company sign-in',
    body: markup`<p>Another site sent you here. The sign-in is at <strong>${host}</strong>, and logs you in with the account
that it names. Continue only if this is your organisation.</p>
<p><a class="button" href="${address}">Continue to the sign-in of ${organisation}</a></p>`,
  };
}
