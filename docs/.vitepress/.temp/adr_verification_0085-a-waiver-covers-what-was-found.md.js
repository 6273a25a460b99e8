import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0085: A waiver covers what was found, and ends when that changes","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0085-a-waiver-covers-what-was-found.md","filePath":"adr/verification/0085-a-waiver-covers-what-was-found.md"}');
const _sfc_main = { name: "adr/verification/0085-a-waiver-covers-what-was-found.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0085-a-waiver-covers-what-was-found-and-ends-when-that-changes" tabindex="-1">0085: A waiver covers what was found, and ends when that changes <a class="header-anchor" href="#_0085-a-waiver-covers-what-was-found-and-ends-when-that-changes" aria-label="Permalink to &quot;0085: A waiver covers what was found, and ends when that changes&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every detector errs at times. An operator must be able to say that a finding does no harm, and an owner must be able to ask for it. The score stays replayable, and a waiver must not become a way to hide other defects.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A waiver names agent, fingerprint and mark. The fingerprint is rule and subject, such as the file. The mark is a digest of the values, the matched code or the advisory ids, so another key in the same file is not covered. Only 32 bits of a value&#39;s SHA-256 are stored.</li><li>Waivers are an input of the judgement besides evidence and rubric. The stored judgement names the waivers that held, and a replay reads these.</li><li>A waived finding costs no points and counts neither as critical nor as high. It does not add points that were not earned.</li><li>The report shows the waived finding with the operator&#39;s reason, so buyers can decide otherwise.</li><li>A decision takes effect by a run, never by a change of a report. A rejected version is submitted again.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A waiver ends silently when the code around a finding changes so that something else is found: the next run counts the new finding. That is intended. Operators see ended waivers, and owners can contest again (3 times for each finding, 50 open contests for each developer).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0085-a-waiver-covers-what-was-found.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0085AWaiverCoversWhatWasFound = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0085AWaiverCoversWhatWasFound as default
};
