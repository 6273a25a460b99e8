import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0090: A refused input that was made up neither earns points nor rejects","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0090-refused-made-up-inputs-prove-nothing.md","filePath":"adr/verification/0090-refused-made-up-inputs-prove-nothing.md"}');
const _sfc_main = { name: "adr/verification/0090-refused-made-up-inputs-prove-nothing.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0090-a-refused-input-that-was-made-up-neither-earns-points-nor-rejects" tabindex="-1">0090: A refused input that was made up neither earns points nor rejects <a class="header-anchor" href="#_0090-a-refused-input-that-was-made-up-neither-earns-points-nor-rejects" aria-label="Permalink to &quot;0090: A refused input that was made up neither earns points nor rejects&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Agents that validate (an IBAN, a URL, a date, a city) answered two generated inputs with 400, 404 or 422 and were rejected.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A status 4xx to an input that was made from the schema counts as not proven, except 401, 405, 407 and 410, which refuse the caller or the address. The run goes on with up to 16 other inputs. Points of conformance are not earned for what is not proven.</li><li>Examples that the owner gives (<code>examples</code> of the manifest, <code>examples</code> of <code>input_schema</code>) must be answered.</li><li><code>examples</code> of the manifest may have an expected output, compared in each run: <code>match</code> is <code>exact</code> or <code>subset</code>, numbers may differ by <code>tolerance</code>.</li><li>Fields that take sentences get ordinary sentences. Equal answers to different inputs are a high finding only if these inputs were sentences or examples, and the answer is prose and no error message.</li><li><code>input_role</code> of the manifest says whether the input is worked on (<code>data</code>) or followed (<code>instructions</code>). Without it, names of fields and the description decide. An agent that follows its own user is not injected.</li><li>A check with nothing to examine is complete: an agent whose inputs take no text loses no points in the red team.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent without examples that refuses every made-up input goes live with a medium finding and without points for conformance.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0090-refused-made-up-inputs-prove-nothing.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0090RefusedMadeUpInputsProveNothing = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0090RefusedMadeUpInputsProveNothing as default
};
