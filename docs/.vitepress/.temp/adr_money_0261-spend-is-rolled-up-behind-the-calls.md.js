import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0261: What buyers pay is rolled up behind the calls","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0261-spend-is-rolled-up-behind-the-calls.md","filePath":"adr/money/0261-spend-is-rolled-up-behind-the-calls.md"}');
const _sfc_main = { name: "adr/money/0261-spend-is-rolled-up-behind-the-calls.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0261-what-buyers-pay-is-rolled-up-behind-the-calls" tabindex="-1">0261: What buyers pay is rolled up behind the calls <a class="header-anchor" href="#_0261-what-buyers-pay-is-rolled-up-behind-the-calls" aria-label="Permalink to &quot;0261: What buyers pay is rolled up behind the calls&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The contract names <code>GET /v1/billing/spend</code> and leaves its form open. Buyers ask what their calls cost by day, agent and key. The rows of calls answer that at a cost that grows with each call, and a counter that each paid call increments would be one more write and lock on the way of every call.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>spend_days</code> has one row for each buyer, UTC day, agent and key with charged calls. A loop of the workers reads ended calls in the order of their ids, some 2,000 at a time, and adds them (<code>spend_roll_up</code>); <code>spend_reached</code> is the last of them. It stops ten minutes before the present, so that no call is left out. It passes calls that are open, lists them in <code>spend_waiting</code>, and adds them once they have ended: jobs run for days. A read adds the rows of the buyer&#39;s calls behind that point, and those that wait. So figures are exact at any time, nothing is added to a call, and a read costs the same after any number of calls.</p><p>Charges count as they were made, on the day when the call was accepted. What disputes and slashes return later is in the ledger.</p><p><code>GET /v1/developer/sales</code> sums the existing days of usage over the developer&#39;s agents. The net view of the ledger (<code>view=net</code>) leaves out holds and what returns them, so that a call has one line. Lists become CSV in the console, which reads their pages up to 10,000 rows: the API has no second form of each list.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Each turn looks at up to 2,000 calls that wait, the longest ago first. The first turns of the loop after the upgrade read all stored calls once.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0261-spend-is-rolled-up-behind-the-calls.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0261SpendIsRolledUpBehindTheCalls = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0261SpendIsRolledUpBehindTheCalls as default
};
