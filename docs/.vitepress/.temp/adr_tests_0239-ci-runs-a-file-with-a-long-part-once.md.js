import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0239: .ci/run runs a file with a long part once, whole","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0239-ci-runs-a-file-with-a-long-part-once.md","filePath":"adr/tests/0239-ci-runs-a-file-with-a-long-part-once.md"}');
const _sfc_main = { name: "adr/tests/0239-ci-runs-a-file-with-a-long-part-once.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0239-ci-run-runs-a-file-with-a-long-part-once-whole" tabindex="-1">0239: .ci/run runs a file with a long part once, whole <a class="header-anchor" href="#_0239-ci-run-runs-a-file-with-a-long-part-once-whole" aria-label="Permalink to &quot;0239: .ci/run runs a file with a long part once, whole&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0257-npm-test-runs-a-part-of-some-files">ADR 0257</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm test</code> runs a part of nine files, and <code>npm run test:long</code> runs them whole. <code>.ci/run</code> ran both, so these files ran twice: their parts take about 120 s of processor time, a minute on two cores, and the whole contains the part.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>.ci/run</code> sets <code>WHOLE_FILES_FOLLOW</code> for <code>npm test</code>, which leaves these files to the <code>npm run test:long</code> that follows. <code>npm test</code> alone runs their parts, as before. <code>test/arch/long-tests.test.ts</code> compares what is left out with what runs whole, and the order of the two commands.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The first half of <code>.ci/run</code> proves a little less than <code>npm test</code>. A run that ends in between has not run these files.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0239-ci-runs-a-file-with-a-long-part-once.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0239CiRunsAFileWithALongPartOnce = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0239CiRunsAFileWithALongPartOnce as default
};
