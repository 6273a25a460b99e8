import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0089: Failed calls of buyers are evidence against an agent","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0089-failed-calls-of-buyers-are-evidence.md","filePath":"adr/verification/0089-failed-calls-of-buyers-are-evidence.md"}');
const _sfc_main = { name: "adr/verification/0089-failed-calls-of-buyers-are-evidence.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0089-failed-calls-of-buyers-are-evidence-against-an-agent" tabindex="-1">0089: Failed calls of buyers are evidence against an agent <a class="header-anchor" href="#_0089-failed-calls-of-buyers-are-evidence-against-an-agent" aria-label="Permalink to &quot;0089: Failed calls of buyers are evidence against an agent&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0188-only-paid-calls-of-others-are-evidence">ADR 0188</a>: only paid calls of other accounts count.</li><li>Superseded in part by <a href="./0189-a-finding-from-calls-needs-three-buyers">ADR 0189</a>: each buyer counts once a day, and a finding needs three.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent that answered probes well and buyers badly kept 100 points. A re-probe found it once, and the next run forgot it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>API processes count the outcomes of calls by agent in memory and add them to <code>agent_call_tallies</code> each second: succeeded, refused (4xx), failed. One row for each agent; a loop (<code>behaviour watch</code>) reads only rows that changed.</li><li>20 failed calls that are a quarter of the recent ones, and twice the share of the run, are a bad period. It counts as three differing re-probes (an outage as one) and triggers a run. If all calls failed, the finding is critical: no badge.</li><li>20 refused calls (nine of ten) of an agent that refused nothing in its run cause a run with new inputs, and no finding: buyers may have sent what the agent may refuse.</li><li>A finding of behaviour stays until as many later re-probes match as differed, or periods of 20 calls succeed. It belongs to the agent, so neither <code>reverify</code> nor a new version removes it. A critical finding of buyers&#39; calls never rejects a new version.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A crash of an API process loses the outcomes of a second. A buyer who finds an input that breaks an agent can cause a finding with 20 calls: the agent did fail, and the finding goes when its calls succeed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0089-failed-calls-of-buyers-are-evidence.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0089FailedCallsOfBuyersAreEvidence = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0089FailedCallsOfBuyersAreEvidence as default
};
