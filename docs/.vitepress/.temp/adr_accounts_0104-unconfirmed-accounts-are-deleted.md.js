import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0104: Accounts that never confirmed their address are deleted","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0104-unconfirmed-accounts-are-deleted.md","filePath":"adr/accounts/0104-unconfirmed-accounts-are-deleted.md"}');
const _sfc_main = { name: "adr/accounts/0104-unconfirmed-accounts-are-deleted.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0104-accounts-that-never-confirmed-their-address-are-deleted" tabindex="-1">0104: Accounts that never confirmed their address are deleted <a class="header-anchor" href="#_0104-accounts-that-never-confirmed-their-address-are-deleted" aria-label="Permalink to &quot;0104: Accounts that never confirmed their address are deleted&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0193-an-email-belongs-to-one-account">ADR 0193</a>: accounts are deleted after a day, whether confirmation is required or not, and not while a key is in use.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Anybody can sign up with any address, also with that of another person. Where confirmation is required, such an account can only read, but it kept five ledger accounts and the name and address of a person for ever.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>unconfirmed_accounts_purge</code> deletes an account 30 days after it was made, if its address is not confirmed and nothing refers to it. Calls, tasks and mandates are looked up; every other reference is a foreign key, which keeps the account.</li><li>The ledger refuses to delete an account that ever had an entry or a balance, row by row (<code>ledger_guard_deletion</code>). Before, it refused every deletion. An account without entries is no part of any proof.</li><li>The retention sweep looks at 50 batches of 100 and goes on from there the next time, so accounts that stay cost a bounded time.</li><li>Where confirmation is optional, no account is deleted.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The address can sign up again. A deleted id is never given out again, because ids are UUIDv7.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0104-unconfirmed-accounts-are-deleted.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0104UnconfirmedAccountsAreDeleted = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0104UnconfirmedAccountsAreDeleted as default
};
