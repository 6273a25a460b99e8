import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0233: Each change of an account is a mail of its own","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0233-each-change-of-an-account-is-a-mail-of-its-own.md","filePath":"adr/accounts/0233-each-change-of-an-account-is-a-mail-of-its-own.md"}');
const _sfc_main = { name: "adr/accounts/0233-each-change-of-an-account-is-a-mail-of-its-own.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0233-each-change-of-an-account-is-a-mail-of-its-own" tabindex="-1">0233: Each change of an account is a mail of its own <a class="header-anchor" href="#_0233-each-change-of-an-account-is-a-mail-of-its-own" aria-label="Permalink to &quot;0233: Each change of an account is a mail of its own&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0077-mails-are-rows-that-a-loop-sends">ADR 0077</a>: changes of one kind were merged.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>There was one row for each recipient and kind of mail, and requests within a minute became one mail that described the latest change. So the owner of an account did not see a second payout address or API key that was set within the same minute before a minute had passed, and never saw the one before it. A thief who changes an address twice could hide behind a change that the owner made.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A mail that reports a change has a row of its own in <code>security_mails</code>, and says when the change happened. Mails with tokens stay one row for each recipient and kind: they are asked for by anybody, and only the latest token matters.</li><li>From the 21st change of a kind in an hour on, further changes of that kind are merged as before, at most one mail a minute, with their number and the latest change. So changes cannot fill a mailbox, and the latest address or key is always named.</li><li>A new table, because processes of the release before insert into <code>mails</code> by its key. What they write there is still sent.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An account gets at most 20 mails of a kind an hour and 60 merged ones. Two requests at the same moment may both count as the 20th.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0233-each-change-of-an-account-is-a-mail-of-its-own.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0233EachChangeOfAnAccountIsAMailOfItsOwn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0233EachChangeOfAnAccountIsAMailOfItsOwn as default
};
