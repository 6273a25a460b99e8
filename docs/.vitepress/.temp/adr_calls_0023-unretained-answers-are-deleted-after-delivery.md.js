import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0023: The stored answer of an agent without retention is deleted once every caller has it","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0023-unretained-answers-are-deleted-after-delivery.md","filePath":"adr/calls/0023-unretained-answers-are-deleted-after-delivery.md"}');
const _sfc_main = { name: "adr/calls/0023-unretained-answers-are-deleted-after-delivery.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0023-the-stored-answer-of-an-agent-without-retention-is-deleted-once-every-caller-has-it" tabindex="-1">0023: The stored answer of an agent without retention is deleted once every caller has it <a class="header-anchor" href="#_0023-the-stored-answer-of-an-agent-without-retention-is-deleted-once-every-caller-has-it" aria-label="Permalink to &quot;0023: The stored answer of an agent without retention is deleted once every caller has it&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The answer of a call with a key is stored, encrypted, for its replay. An agent that retains nothing (<code>data_retention_days: 0</code>) permits that only until every waiting caller was served, and for an hour at most. Waiting callers may be in several processes, and a client may disconnect before it has the answer.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each surface reports whether the whole answer was handed to the client&#39;s connection (<code>CompletedCall.served</code>). A process that has served all its callers deletes its row from <code>invocation_waiters</code>; the process that deletes the last row deletes the answer. If a caller of the process missed the answer, it stays for a replay, within the hour. Every other answer is deleted when it expires, by the Schedule <code>retention-sweep</code>, every ten minutes; an expired answer is no longer read. If a surface fails to report, the answer stays for the hour.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A replay after delivery is 200 with <code>output: null</code> and <code>output_expired: true</code>. &quot;Handed over&quot; means given to the operating system&#39;s connection: a client that dies in that instant finds its answer deleted, but never its charge doubled. Copies that Postgres keeps of deleted rows are encrypted like the rows.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0023-unretained-answers-are-deleted-after-delivery.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0023UnretainedAnswersAreDeletedAfterDelivery = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0023UnretainedAnswersAreDeletedAfterDelivery as default
};
