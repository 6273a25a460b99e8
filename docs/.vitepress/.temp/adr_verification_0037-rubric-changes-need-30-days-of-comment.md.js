import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0037: Any change of a rubric other than its texts needs 30 days of comment","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0037-rubric-changes-need-30-days-of-comment.md","filePath":"adr/verification/0037-rubric-changes-need-30-days-of-comment.md"}');
const _sfc_main = { name: "adr/verification/0037-rubric-changes-need-30-days-of-comment.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0037-any-change-of-a-rubric-other-than-its-texts-needs-30-days-of-comment" tabindex="-1">0037: Any change of a rubric other than its texts needs 30 days of comment <a class="header-anchor" href="#_0037-any-change-of-a-rubric-other-than-its-texts-needs-30-days-of-comment" aria-label="Permalink to &quot;0037: Any change of a rubric other than its texts needs 30 days of comment&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Changed weights need a comment period of 30 days. &quot;Weights&quot; could mean only the points of stages; a rubric also changes scores by severities, deductions, limits and the scores of badges.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Everything in a rubric except its name and its texts is a weight. When a rubric is announced, the database compares the documents itself, and a CHECK of the table prevents the rubric from taking effect earlier. Only one rubric can be announced at a time, so it is compared with the rubric that it replaces. The period ends when the waiting workflow writes that it has ended, by the workflow&#39;s clock.</p><p>The stages&#39; maxima are fixed by the specification and are not part of the document. The rules that produce findings are code. Code that would score stored evidence differently needs a new rubric, and <code>market verify replay</code> shows it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A corrected severity waits 30 days too. A corrected text applies at once.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0037-rubric-changes-need-30-days-of-comment.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0037RubricChangesNeed30DaysOfComment = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0037RubricChangesNeed30DaysOfComment as default
};
