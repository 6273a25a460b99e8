import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0291: Notices are written with the events that they are about","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0291-notices-are-written-with-the-events.md","filePath":"adr/protocols/0291-notices-are-written-with-the-events.md"}');
const _sfc_main = { name: "adr/protocols/0291-notices-are-written-with-the-events.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0291-notices-are-written-with-the-events-that-they-are-about" tabindex="-1">0291: Notices are written with the events that they are about <a class="header-anchor" href="#_0291-notices-are-written-with-the-events-that-they-are-about" aria-label="Permalink to &quot;0291: Notices are written with the events that they are about&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Money and agents change without their owner: operators slash, suspend and decide, buyers dispute, banks send payouts back. Webhooks report that to programs. People noticed these changes only if they opened the page that shows them. The contract has notices of slashes and findings for developers, without a mark of what was read, and none for buyers.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>event_record</code>, through which every event goes, writes a row of <code>account_notices</code> for each account of the event&#39;s audience, if the event needs the account&#39;s attention (<code>notice_record</code>). Events of calls, of scores and of a person&#39;s own actions make none. Decisions about tax forms and freezes of wallets, which are no events, write theirs by triggers. <code>GET /v1/notices</code> lists them, <code>POST /v1/notices/read</code> marks them as read, and <code>GET /v1/notices/waiting</code> counts what is unread and what waits for an answer or, for operators, a decision. All need a session: what was read is a matter of a person, not of a key. The sentences are made of the event&#39;s data, which has no text of other people.</p><p>The list of developers&#39; notices about slashes and findings stays as it is, with explanations and evidence.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A new event type is a notice only if it is added to <code>notice_record.sql</code> and to <code>src/domain/webhooks/account-notice.ts</code>.</li><li>An event of a call costs one comparison more. Other events cost one row for each account.</li><li>Notices are deleted after six months. Mails about deadlines can be made of the same rows.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0291-notices-are-written-with-the-events.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0291NoticesAreWrittenWithTheEvents = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0291NoticesAreWrittenWithTheEvents as default
};
