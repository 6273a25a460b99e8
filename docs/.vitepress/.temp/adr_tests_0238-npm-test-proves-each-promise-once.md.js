import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0238: npm test proves each promise once, and test:long again, for longer, or page by page","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0238-npm-test-proves-each-promise-once.md","filePath":"adr/tests/0238-npm-test-proves-each-promise-once.md"}');
const _sfc_main = { name: "adr/tests/0238-npm-test-proves-each-promise-once.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0238-npm-test-proves-each-promise-once-and-test-long-again-for-longer-or-page-by-page" tabindex="-1">0238: npm test proves each promise once, and test:long again, for longer, or page by page <a class="header-anchor" href="#_0238-npm-test-proves-each-promise-once-and-test-long-again-for-longer-or-page-by-page" aria-label="Permalink to &quot;0238: npm test proves each promise once, and test:long again, for longer, or page by page&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extended by <a href="./0257-npm-test-runs-a-part-of-some-files">ADR 0257</a>.</li><li>Extended by <a href="./0258-walks-through-the-console-run-in-the-long-run">ADR 0258</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm test</code> took twelve minutes on two cores, and developers run it before each merge. Part of it proved a promise in a second way (streams and duplicates beside four kills, a random mixture beside the properties of the ledger), measured for a long time (medians beside a storm), or ran the commands of 34 pages. Another part waited: the probes of verifications are spaced for the sake of buyers, of whom a test has none.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>npm test</code> has one proof of each promise. What proves it again or takes a minute for one promise is in <code>test/long</code>, which <code>npm run test:long</code> and <code>.ci/run</code> run; <code>test/long/README.md</code> names each file with its promise and what proves that in <code>npm test</code>. The README of the repository stays in <code>npm test</code>, because it is what new users run first; other pages run in <code>test/long</code>. Markets of tests space probes by a millisecond (<code>startMarket</code>), and one unit test holds the spacing of production.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A page whose command breaks is found by <code>.ci/run</code> or <code>npm run test:docs</code>, not by <code>npm test</code>. A file that is moved to <code>test/long</code> needs its line in the table there.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0238-npm-test-proves-each-promise-once.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0238NpmTestProvesEachPromiseOnce = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0238NpmTestProvesEachPromiseOnce as default
};
