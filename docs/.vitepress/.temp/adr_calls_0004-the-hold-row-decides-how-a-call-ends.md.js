import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0004: The hold row decides how a call ends, and a loop sweeps expired leases","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0004-the-hold-row-decides-how-a-call-ends.md","filePath":"adr/calls/0004-the-hold-row-decides-how-a-call-ends.md"}');
const _sfc_main = { name: "adr/calls/0004-the-hold-row-decides-how-a-call-ends.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0004-the-hold-row-decides-how-a-call-ends-and-a-loop-sweeps-expired-leases" tabindex="-1">0004: The hold row decides how a call ends, and a loop sweeps expired leases <a class="header-anchor" href="#_0004-the-hold-row-decides-how-a-call-ends-and-a-loop-sweeps-expired-leases" aria-label="Permalink to &quot;0004: The hold row decides how a call ends, and a loop sweeps expired leases&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A call can be ended by its workflow, by a repeated step after a crash, by a dispute, or by the lease sweep when no process drives it any more. Any two may happen at once, and the engine itself may be unavailable.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The row in <code>holds</code> alone decides. It goes from <code>open</code> to <code>captured</code>, <code>voided</code> or <code>disputed</code> once. Each step reads it first, acts only if it permits, and otherwise returns its state. Nothing is sent to an agent before one conditional UPDATE has marked the hold as forwarded while its lease ran. The owner answers the buyer by the row, never by the agent&#39;s answer alone. Holds have a lease: 30 s, and after forwarding the agent&#39;s deadline plus 30 s. A loop in every worker process, one at a time by an advisory lock, refunds holds past their lease. It is not a workflow, because it must work while the engine is unavailable.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Steps may run twice, late or in another process without moving money twice. A buyer can be refunded although the agent has answered, if the answer came after the lease. A buyer who disconnects before the answer is charged, and gets the answer by repeating the idempotency key or by reading the call by its id. Leases use only the clock of Postgres.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0004-the-hold-row-decides-how-a-call-ends.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004TheHoldRowDecidesHowACallEnds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0004TheHoldRowDecidesHowACallEnds as default
};
