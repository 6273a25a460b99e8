import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0282: The figures of an owner do not count a refused input as an error of the agent","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0282-owners-do-not-count-refused-inputs-as-errors.md","filePath":"adr/catalogue/0282-owners-do-not-count-refused-inputs-as-errors.md"}');
const _sfc_main = { name: "adr/catalogue/0282-owners-do-not-count-refused-inputs-as-errors.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0282-the-figures-of-an-owner-do-not-count-a-refused-input-as-an-error-of-the-agent" tabindex="-1">0282: The figures of an owner do not count a refused input as an error of the agent <a class="header-anchor" href="#_0282-the-figures-of-an-owner-do-not-count-a-refused-input-as-an-error-of-the-agent" aria-label="Permalink to &quot;0282: The figures of an owner do not count a refused input as an error of the agent&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0278-a-refused-input-is-no-failure-of-the-agent">ADR 0278</a>: the owner&#39;s <code>agent_errors</code> leaves out refused inputs.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Listings and verification take an input that the agent refuses by a 4xx for no failure of the agent. The owner&#39;s usage and analytics still counted it among <code>agent_errors</code>, and so did the operators&#39; figures: an agent that answered each call correctly had a success rate of 91%, of which its listing showed nothing.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>agent_errors</code> and the success rates that are made of it leave out calls whose input the agent refused, by the statuses of ADR 0278. <code>calls</code>, <code>failed</code> and the list of errors count them as before, as <code>agent_error</code>, which is what their buyers got.</li><li>What is counted has the code <code>input_refused</code> for these calls, which no call has. It is known when the facts of the failure are stored, which is after the call has ended. So two changes are noted then, one less and one more. Calls that succeed cost nothing.</li><li>Parts of days, and a count from the rows, read the stored facts.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Facts of failures are kept for 31 days. A window that begins in the middle of an older day counts refused inputs of that day as errors, and so does a count from the rows for older days. Days that were counted before keep their figures.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0282-owners-do-not-count-refused-inputs-as-errors.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0282OwnersDoNotCountRefusedInputsAsErrors = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0282OwnersDoNotCountRefusedInputsAsErrors as default
};
