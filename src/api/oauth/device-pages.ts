import type { ApiScope } from '../../domain/accounts/api-key';
import { DEVICE_KEY_SECONDS, DEVICE_SCOPE_WORDS, showUserCode } from '../../domain/accounts/device-login';
import { SUGGESTED_CAP_CREDITS } from '../../domain/accounts/oauth-grant';
import { markup, type Page } from './html';
import { ownerField, type OwnerOptions } from './owner-field';
import { capField, form, type FormOptions, signInFields } from './pages';

/** What the person decides about. */
export interface DeviceQuestion {
  userCode: string;
  scopes: readonly ApiScope[];
  /** The address that began the login. */
  network: string;
  createdAt: Date;
}

/** Asks for email and password before the code. */
export function deviceSignInPage(options: FormOptions & { email?: string | undefined }): Page {
  return {
    title: 'Log in a device',
    body: markup`<p>Sign in to enter the code that your device shows. The device does not see your password.</p>
${form(options, signInFields(options.email))}`,
  };
}

/** Asks for the code of the device. */
export function codePage({ problem }: { problem?: string | undefined } = {}): Page {
  const error = problem === undefined ? '' : markup`<p class="error" role="alert">${problem}</p>`;
  return {
    title: 'Log in a device',
    body: markup`${error}<form method="get" action="/oauth/device">
<label for="user_code">Code that the device shows</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required
 maxlength="20" placeholder="BCDF-GHJK">
<button class="first">Continue</button>
</form>`,
  };
}

/** Asks whether the device may have a key. */
export function devicePage(
  { userCode, scopes, network, createdAt }: DeviceQuestion,
  options: FormOptions & OwnerOptions & { cap?: string | undefined },
): Page {
  const fields = markup`${ownerField(options)}${capField(options.cap ?? String(SUGGESTED_CAP_CREDITS))}
<button class="first" name="action" value="allow">Allow</button>
<button name="action" value="deny">Refuse</button>
<button name="action" value="switch" formnovalidate>Use another account</button>`;
  const days = DEVICE_KEY_SECONDS / 86_400;
  return {
    title: 'Allow the command line of a device?',
    body: markup`<dl>
<dt>The device shows</dt><dd><strong>${showUserCode(userCode)}</strong></dd>
<dt>It asked at</dt><dd>${createdAt.toISOString()}, from the address ${network}</dd>
<dt>It may, for ${days} days</dt><dd><ul>${scopes.map((scope) => markup`<li>${DEVICE_SCOPE_WORDS[scope]} (<code>${scope}</code>)</li>`)}</ul></dd>
<dt>Your account</dt><dd>${options.email}</dd>
</dl>
<p class="note">Allow it only if you started <code>market login</code> yourself and your device shows this code. If somebody sent you the
code or this address, refuse: the person would use your account.</p>
${form(options, fields)}
<p class="note">The device gets an API key with the name “market login”, which you can delete at any time:
<code>market api-keys list</code>, or <code>market logout</code> on the device.</p>`,
  };
}

/** Says that the person is done here. `organisation`: for which the device acts; empty for the person. */
export function deviceDonePage(allowed: boolean, organisation: string): Page {
  return {
    title: allowed ? 'The device is logged in' : 'You refused',
    body: markup`${allowed && organisation !== '' ? markup`<p>It acts for ${organisation}.</p>` : ''}<p>${allowed ? 'Return to your device: it goes on by itself within seconds.' : 'The device gets nothing.'}
You can close this page.</p>`,
  };
}
