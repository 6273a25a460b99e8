import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0086: Rubric 2026.1 is edited in place until the first release","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0086-rubric-2026-1-is-edited-until-the-first-release.md","filePath":"adr/verification/0086-rubric-2026-1-is-edited-until-the-first-release.md"}');
const _sfc_main = { name: "adr/verification/0086-rubric-2026-1-is-edited-until-the-first-release.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0086-rubric-2026-1-is-edited-in-place-until-the-first-release" tabindex="-1">0086: Rubric 2026.1 is edited in place until the first release <a class="header-anchor" href="#_0086-rubric-2026-1-is-edited-in-place-until-the-first-release" aria-label="Permalink to &quot;0086: Rubric 2026.1 is edited in place until the first release&quot;">​</a></h1><p>Status: superseded.</p><ul><li>Superseded by <a href="./../operations/0218-migrations-are-append-only">ADR 0218</a>: the baseline is fixed.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A report names its rubric permanently, and a changed scoring rule needs a new rubric. Rules, limits and texts were added to 2026.1 in place, lately <code>risk</code> for each rule.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>2026.1 is the rubric of the first release, which does not exist yet. Its document and the baseline of the migrations may be edited together: a database made before is thrown away (migrations/README.md), and no report by an older 2026.1 survives. <code>rubric_seed</code> writes the document into a new database only, so an installation never changes the document of a rubric that it has used. When the baseline is fixed (ADR 0064), 2026.1 is fixed as well, and every later change is a rubric 2026.2 that is announced.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Reports of development databases before a change cannot be replayed; they are gone with their database. A second rubric that differed in nothing that a user has seen would have cost a comment period and a roll-out without a benefit.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0086-rubric-2026-1-is-edited-until-the-first-release.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0086Rubric20261IsEditedUntilTheFirstRelease = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0086Rubric20261IsEditedUntilTheFirstRelease as default
};
