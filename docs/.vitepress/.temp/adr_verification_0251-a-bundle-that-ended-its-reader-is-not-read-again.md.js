import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0251: A bundle that ended its reader is not read again","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0251-a-bundle-that-ended-its-reader-is-not-read-again.md","filePath":"adr/verification/0251-a-bundle-that-ended-its-reader-is-not-read-again.md"}');
const _sfc_main = { name: "adr/verification/0251-a-bundle-that-ended-its-reader-is-not-read-again.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0251-a-bundle-that-ended-its-reader-is-not-read-again" tabindex="-1">0251: A bundle that ended its reader is not read again <a class="header-anchor" href="#_0251-a-bundle-that-ended-its-reader-is-not-read-again" aria-label="Permalink to &quot;0251: A bundle that ended its reader is not read again&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extends <a href="./0184-a-bundle-is-read-in-a-process-of-its-own">ADR 0184</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A bundle that ends the process which reads it is a finding of its run. The next run, which the developer may request each hour, read the same bytes again and ended another process.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The SHA-256 of a bundle that ended its reader, by a crash, its memory or its processor time, is kept in <code>ended_readings</code> with the gap and with what the reader had found until then. Each later scan of the same bytes, for any version and in any process, takes this as its result: the findings stay, and what depends on the manifest or on advisories is computed anew. A missed deadline is not kept, because a busy machine can cause it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The finding goes only with another bundle. After a release whose reader could read the bundle, the developer publishes again with any change.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0251-a-bundle-that-ended-its-reader-is-not-read-again.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0251ABundleThatEndedItsReaderIsNotReadAgain = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0251ABundleThatEndedItsReaderIsNotReadAgain as default
};
