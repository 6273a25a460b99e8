import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0188: Only paid calls of other accounts are evidence about an agent","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0188-only-paid-calls-of-others-are-evidence.md","filePath":"adr/verification/0188-only-paid-calls-of-others-are-evidence.md"}');
const _sfc_main = { name: "adr/verification/0188-only-paid-calls-of-others-are-evidence.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0188-only-paid-calls-of-other-accounts-are-evidence-about-an-agent" tabindex="-1">0188: Only paid calls of other accounts are evidence about an agent <a class="header-anchor" href="#_0188-only-paid-calls-of-other-accounts-are-evidence-about-an-agent" aria-label="Permalink to &quot;0188: Only paid calls of other accounts are evidence about an agent&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Supersedes in part <a href="./0089-failed-calls-of-buyers-are-evidence">ADR 0089</a>: only paid calls of other accounts count.</li><li>Superseded in part by <a href="./0189-a-finding-from-calls-needs-three-buyers">ADR 0189</a>: each buyer counts once a day, and a finding needs three.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every call counted for the findings of behaviour. 24 failing calls of the free tier took a rival from 49 points to 21 within two minutes, and the free calls of a friend, or of the developer, made a finding go away. A free call costs its caller nothing.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A call counts for findings of behaviour only if its hold is above 0 and its buyer is not the developer of the agent. The outcome of other calls still stands in the usage of the agent.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A free agent has no findings from buyers&#39; calls; re-probes examine it as before. A failed call is refunded, so a buyer with credits can still make failing calls at no cost; <a href="./0189-a-finding-from-calls-needs-three-buyers">ADR 0189</a> counts each buyer once a day, and asks for several.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0188-only-paid-calls-of-others-are-evidence.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0188OnlyPaidCallsOfOthersAreEvidence = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0188OnlyPaidCallsOfOthersAreEvidence as default
};
