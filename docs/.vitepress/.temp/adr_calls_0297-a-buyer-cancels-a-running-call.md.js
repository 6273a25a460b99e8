import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0297: A buyer cancels a running call of any surface, unless its answer is being delivered","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0297-a-buyer-cancels-a-running-call.md","filePath":"adr/calls/0297-a-buyer-cancels-a-running-call.md"}');
const _sfc_main = { name: "adr/calls/0297-a-buyer-cancels-a-running-call.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0297-a-buyer-cancels-a-running-call-of-any-surface-unless-its-answer-is-being-delivered" tabindex="-1">0297: A buyer cancels a running call of any surface, unless its answer is being delivered <a class="header-anchor" href="#_0297-a-buyer-cancels-a-running-call-of-any-surface-unless-its-answer-is-being-delivered" aria-label="Permalink to &quot;0297: A buyer cancels a running call of any surface, unless its answer is being delivered&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Only A2A tasks could be cancelled. The contract adds <code>DELETE /v1/invocations/{id}</code> for every call.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>One SQL function ends a call because its buyer cancels it, for <code>DELETE</code> and for CancelTask: it locks the call and its hold, refunds, and notifies the process that has the call, which hangs up on the agent and answers a caller who still waits with 409 <code>canceled</code>.</li><li>A stream of which pieces were delivered is not cancelled (409 <code>invalid_state</code>). Leaving it pays what was delivered; a cancellation would give it away. The lock of the hold decides between the two, as for a dispute.</li><li>Cancelling a cancelled call is 200 again; any other ended call is 409. The payer cancels, as the payer reads: a caller under a mandate of another account closes its request instead, or uses CancelTask.</li><li>The code <code>canceled</code> counts as the buyer&#39;s, so that it is no failure of the agent.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A buyer may cancel shortly before the answer and pay nothing for the agent&#39;s work, as a dispute of a running call allows. Rates of cancellation are in the figures of error codes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0297-a-buyer-cancels-a-running-call.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0297ABuyerCancelsARunningCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0297ABuyerCancelsARunningCall as default
};
