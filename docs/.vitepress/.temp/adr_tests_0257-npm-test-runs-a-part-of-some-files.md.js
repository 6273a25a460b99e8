import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0257: npm test runs a part of some files, and test:long the whole of them","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0257-npm-test-runs-a-part-of-some-files.md","filePath":"adr/tests/0257-npm-test-runs-a-part-of-some-files.md"}');
const _sfc_main = { name: "adr/tests/0257-npm-test-runs-a-part-of-some-files.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0257-npm-test-runs-a-part-of-some-files-and-test-long-the-whole-of-them" tabindex="-1">0257: npm test runs a part of some files, and test:long the whole of them <a class="header-anchor" href="#_0257-npm-test-runs-a-part-of-some-files-and-test-long-the-whole-of-them" aria-label="Permalink to &quot;0257: npm test runs a part of some files, and test:long the whole of them&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0239-ci-runs-a-file-with-a-long-part-once">ADR 0239</a>.</li><li>Extends <a href="./0238-npm-test-proves-each-promise-once">ADR 0238</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm test</code> took thirteen minutes on two cores, all of it processor time, and is to take six. Some tables of tests prove one promise by many rows, and some sizes are larger than what they show: a statement of 5,001 lots breaks at the same borders as one of 2,001. A test that is moved to <code>test/long</code> leaves the file with the preparation that it shares with the rest.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Such rows and sizes stay in their file. <code>part(some, whole)</code>, <code>longRows(…)</code> and <code>itLong(…)</code> of <code>test/support/ledger/counts.ts</code> leave them to <code>npm run test:long</code>, which runs these files once more (<code>test/support/jest/whole-files.js</code>). <code>test/long/README.md</code> has a row for each, as for the files of <code>test/long</code>; <code>test/arch/long-tests.test.ts</code> compares both lists with the tests, and the proofs with the tree.</p><p>Agents of tests whose subject is not verification serve without a run of it (<code>registerServing</code>, <code>putLive</code>). The tree is compared with the import table by <code>npm run arch</code>, which <code>npm run check</code> and <code>.ci/run</code> run; <code>test/arch/imports.test.ts</code> proves the table on a project of its own.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A size that only the whole run has is seen by <code>.ci/run</code>, not by <code>npm test</code>. The files of the list run twice in <code>.ci/run</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0257-npm-test-runs-a-part-of-some-files.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0257NpmTestRunsAPartOfSomeFiles = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0257NpmTestRunsAPartOfSomeFiles as default
};
