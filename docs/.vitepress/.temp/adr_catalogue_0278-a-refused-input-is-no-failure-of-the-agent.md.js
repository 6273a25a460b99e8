import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0278: An input that the agent refuses is no failure of the agent","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0278-a-refused-input-is-no-failure-of-the-agent.md","filePath":"adr/catalogue/0278-a-refused-input-is-no-failure-of-the-agent.md"}');
const _sfc_main = { name: "adr/catalogue/0278-a-refused-input-is-no-failure-of-the-agent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0278-an-input-that-the-agent-refuses-is-no-failure-of-the-agent" tabindex="-1">0278: An input that the agent refuses is no failure of the agent <a class="header-anchor" href="#_0278-an-input-that-the-agent-refuses-is-no-failure-of-the-agent" aria-label="Permalink to &quot;0278: An input that the agent refuses is no failure of the agent&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Supersedes in part <a href="./../verification/0189-a-finding-from-calls-needs-three-buyers">ADR 0189</a>: calls with a refused input are not in the figures of listings.</li><li>Superseded in part by <a href="./0282-owners-do-not-count-refused-inputs-as-errors">ADR 0282</a>: the owner&#39;s <code>agent_errors</code> leaves out refused inputs.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A schema cannot say everything: an agent that converts units answers 422 to a unit that does not exist. Such a call is <code>agent_error</code> for its buyer, as the contract says, and it lowered the success rate on the listing. One wrong input of one buyer made &quot;0% succeed&quot;. Verification counts the same answers as not proven (ADR 0090).</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The figures of listings (<code>stats</code>, and the figures by day) leave out paid calls that the agent refused by a 4xx for what they contain: not 401, 403 and 407, which refuse the marketplace, and not 408, 409, 425 and 429, which refuse the moment. Those count as failures, now for verification too. The owner&#39;s usage and analytics count every call, with its status in the list of calls.</p><p>An agent cannot lift its figures by refusing: refused calls earn nothing and count as no call. A period in which buyers are refused far more often than probes were leads to fresh probes, as before.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Days that were counted before keep their figures.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0278-a-refused-input-is-no-failure-of-the-agent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0278ARefusedInputIsNoFailureOfTheAgent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0278ARefusedInputIsNoFailureOfTheAgent as default
};
