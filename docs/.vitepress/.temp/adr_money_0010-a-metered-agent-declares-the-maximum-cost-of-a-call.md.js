import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0010: A metered agent declares the maximum cost of a call","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0010-a-metered-agent-declares-the-maximum-cost-of-a-call.md","filePath":"adr/money/0010-a-metered-agent-declares-the-maximum-cost-of-a-call.md"}');
const _sfc_main = { name: "adr/money/0010-a-metered-agent-declares-the-maximum-cost-of-a-call.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0010-a-metered-agent-declares-the-maximum-cost-of-a-call" tabindex="-1">0010: A metered agent declares the maximum cost of a call <a class="header-anchor" href="#_0010-a-metered-agent-declares-the-maximum-cost-of-a-call" aria-label="Permalink to &quot;0010: A metered agent declares the maximum cost of a call&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification does not show the price fields of <code>per_token</code> and <code>per_second</code>. A call must hold a price before its cost is known, and a buyer must be able to limit it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Both models require <code>max_credits_per_call</code>, and <code>credits_per_1k_tokens</code> or <code>credits_per_second</code>: decimal strings of at most 3 places, so that no amount is ever a binary fraction. Price fields of another model are refused, not ignored. The hold is the agent&#39;s maximum, or the buyer&#39;s <code>max_cost_credits</code> if that is lower. The charge is the metered cost, rounded up to whole credits once and never above the maximum (<code>src/domain/catalogue/pricing.ts</code>). The service counts the tokens. A cost above the buyer&#39;s ceiling fails the call: 402, no output, nothing charged; a <code>per_second</code> call ends as soon as that is certain. Listings filter and sort by the maximum cost of a call.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A charge is never above the hold, so a capture cannot fail for lack of credits. A buyer needs the maximum in the wallet for a call that may cost less.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0010-a-metered-agent-declares-the-maximum-cost-of-a-call.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010AMeteredAgentDeclaresTheMaximumCostOfACall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0010AMeteredAgentDeclaresTheMaximumCostOfACall as default
};
