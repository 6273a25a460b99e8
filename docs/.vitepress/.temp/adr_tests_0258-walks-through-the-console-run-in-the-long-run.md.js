import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0258: A walk through the console whose operations have tests of their own runs in test:long","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0258-walks-through-the-console-run-in-the-long-run.md","filePath":"adr/tests/0258-walks-through-the-console-run-in-the-long-run.md"}');
const _sfc_main = { name: "adr/tests/0258-walks-through-the-console-run-in-the-long-run.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0258-a-walk-through-the-console-whose-operations-have-tests-of-their-own-runs-in-test-long" tabindex="-1">0258: A walk through the console whose operations have tests of their own runs in test:long <a class="header-anchor" href="#_0258-a-walk-through-the-console-whose-operations-have-tests-of-their-own-runs-in-test-long" aria-label="Permalink to &quot;0258: A walk through the console whose operations have tests of their own runs in test:long&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extends <a href="./0238-npm-test-proves-each-promise-once">ADR 0238</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A test in Chromium costs one to two seconds of processor time, ten times what the same operations cost over the API. Five files of <code>test/integration/console</code> took a tenth of <code>npm test</code>. Two of them walk through operations that the tests of accounts, registrations and bonds prove without a browser; the other three prove what only the console does: each page requests its data once, a lost answer is no second charge, and connected applications are listed with their caps.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>console-account.test.ts</code> and <code>console-selling.test.ts</code> are in <code>test/long</code>, beside <code>console-browser.test.ts</code>. What only the console can break stays in <code>npm test</code>. The agents of <code>examples/verification</code> and hostile answers and bundles in a whole verification are in <code>test/long</code>, too: their detectors, readers and repeats have tests of their own.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A form of these pages that breaks is found by <code>.ci/run</code> or <code>npm run test:long</code>, not by <code>npm test</code>. A text that a page no longer has is found by <code>test/arch/console-texts.test.ts</code>, which compares the texts of the walks with the source of the console.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0258-walks-through-the-console-run-in-the-long-run.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0258WalksThroughTheConsoleRunInTheLongRun = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0258WalksThroughTheConsoleRunInTheLongRun as default
};
