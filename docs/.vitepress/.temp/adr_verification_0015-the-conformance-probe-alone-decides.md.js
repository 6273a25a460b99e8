import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0015: The conformance probe alone decides until the other stages exist","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0015-the-conformance-probe-alone-decides.md","filePath":"adr/verification/0015-the-conformance-probe-alone-decides.md"}');
const _sfc_main = { name: "adr/verification/0015-the-conformance-probe-alone-decides.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0015-the-conformance-probe-alone-decides-until-the-other-stages-exist" tabindex="-1">0015: The conformance probe alone decides until the other stages exist <a class="header-anchor" href="#_0015-the-conformance-probe-alone-decides-until-the-other-stages-exist" aria-label="Permalink to &quot;0015: The conformance probe alone decides until the other stages exist&quot;">​</a></h1><p>Status: superseded.</p><ul><li>Superseded by <a href="./0036-badge-and-score-are-derived-in-one-function">ADR 0036</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A version goes live when its run has no critical finding. Of the four stages, only the live conformance probe is built.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A run is three calls with inputs made from the input schema, its <code>examples</code> first, sent like a buyer&#39;s calls. A broken connection, an error or a time-out is retried once. If all answers conform, the version goes live, without score and badge. If one does not, or no valid input could be made, the version is rejected with the reason. A failed re-run of the serving version is recorded and changes nothing yet. Probes cost nothing and leave no invocation.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>badge</code> and <code>trust_score</code> are null everywhere. Schemas that no generator can satisfy need <code>examples</code>. When the other stages exist, this record is superseded, and stored evidence can be scored.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0015-the-conformance-probe-alone-decides.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015TheConformanceProbeAloneDecides = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015TheConformanceProbeAloneDecides as default
};
