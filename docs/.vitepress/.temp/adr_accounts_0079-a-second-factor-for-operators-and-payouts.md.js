import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0079: Operators and payout methods need a code of an authenticator app","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0079-a-second-factor-for-operators-and-payouts.md","filePath":"adr/accounts/0079-a-second-factor-for-operators-and-payouts.md"}');
const _sfc_main = { name: "adr/accounts/0079-a-second-factor-for-operators-and-payouts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0079-operators-and-payout-methods-need-a-code-of-an-authenticator-app" tabindex="-1">0079: Operators and payout methods need a code of an authenticator app <a class="header-anchor" href="#_0079-operators-and-payout-methods-need-a-code-of-an-authenticator-app" aria-label="Permalink to &quot;0079: Operators and payout methods need a code of an authenticator app&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A stolen password or session let a thief act as an operator, or send a developer&#39;s earnings elsewhere.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Accounts can enrol an authenticator app (TOTP by RFC 6238, package <code>otpauth</code>). Its secret is sealed with the master keys; ten recovery codes of 100 bits are stored as SHA-256.</p><ul><li>An enrolled account needs a code to log in, and another one for each change of its payout method. Operations of operators need a session that began with a code. An enrolment ends all other sessions. A reset of the password does not remove the app.</li><li>A code is used once: the newest used time step is stored, and only a later one is accepted. Codes of one step before and after are accepted. Wrong codes count for the account, from every address, like wrong passwords.</li><li><code>SECOND_FACTOR=required</code> (default in production): operators without an app cannot act, and payout methods cannot be changed without one. They log in and enrol with their password. <code>optional</code> (default elsewhere): only enrolled accounts need a code, so that tests and the demonstration go on without.</li><li>The code is a field of the body (<code>totp_code</code>), because the operations that need one take a body.</li><li>Lost app and lost recovery codes: an operator of the database deletes the rows in <code>authenticators</code> and <code>recovery_codes</code>, and sets <code>users.authenticator_since</code> to null, after having identified the person.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>New codes <code>second_factor_required</code> (401) and <code>email_unconfirmed</code> (403). API keys cannot carry a second factor; no operation of operators accepts one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0079-a-second-factor-for-operators-and-payouts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0079ASecondFactorForOperatorsAndPayouts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0079ASecondFactorForOperatorsAndPayouts as default
};
