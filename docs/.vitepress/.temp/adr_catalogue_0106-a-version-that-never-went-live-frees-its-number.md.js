import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0106: A version that never went live frees its number","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0106-a-version-that-never-went-live-frees-its-number.md","filePath":"adr/catalogue/0106-a-version-that-never-went-live-frees-its-number.md"}');
const _sfc_main = { name: "adr/catalogue/0106-a-version-that-never-went-live-frees-its-number.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0106-a-version-that-never-went-live-frees-its-number" tabindex="-1">0106: A version that never went live frees its number <a class="header-anchor" href="#_0106-a-version-that-never-went-live-frees-its-number" aria-label="Permalink to &quot;0106: A version that never went live frees its number&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The contract says that a version that never went live frees its number. A version was one row for each number of a slug, and runs, reports, findings, packages and notices refer to that row. A number was taken forever by its first publication, also after a rejection.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A number is taken when a version with it was live, or is submitted, verifying or verified. Only taken numbers count for &quot;must be higher&quot;: those of the same major while one of its versions serves, else those of all majors. An older major can so be repriced and repaired, and a new agent of a lower major cannot appear beside a newer one.</li><li>Publishing a number that is not taken withdraws the earlier version: its state becomes <code>superseded</code> and <code>withdrawn_at</code> is set. The number is unique among versions that are not withdrawn. The database refuses to withdraw a version that was live or waits.</li><li>A withdrawn version keeps its row, document, bundle, runs and findings. It is in no list of versions, and reading the number answers the new version. Reports name the number of the version that they judged; the id of the run tells two of them apart.</li><li>Deleting a draft withdraws it. Its agent stays, with slug and signing secret; an agent whose only version was deleted shows that one as its latest version.</li><li>A submitted version supersedes rejected versions above it. Without this, &quot;request another verification&quot; would choose the higher rejected one.</li><li>No money refers to a withdrawn version, because only a serving version can be called by buyers and a serving version has been live.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0106-a-version-that-never-went-live-frees-its-number.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0106AVersionThatNeverWentLiveFreesItsNumber = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0106AVersionThatNeverWentLiveFreesItsNumber as default
};
