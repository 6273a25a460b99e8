import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0115: The commands on pages are run, and reference pages are written by a script","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0115-commands-on-pages-are-run.md","filePath":"adr/tests/0115-commands-on-pages-are-run.md"}');
const _sfc_main = { name: "adr/tests/0115-commands-on-pages-are-run.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0115-the-commands-on-pages-are-run-and-reference-pages-are-written-by-a-script" tabindex="-1">0115: The commands on pages are run, and reference pages are written by a script <a class="header-anchor" href="#_0115-the-commands-on-pages-are-run-and-reference-pages-are-written-by-a-script" aria-label="Permalink to &quot;0115: The commands on pages are run, and reference pages are written by a script&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Documents that nothing runs become wrong without notice: one page registered an agent with another credential than its server expected. Readers could not learn how to sign up, buy credits or pay the fee, because every example began with accounts that existed already.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The README and the tutorials are tests. Each of their <code>sh</code> blocks is run in the order in which it stands, in one shell, from empty accounts, and the block marked <code>output</code> behind it is compared with what was printed. The tutorials share a market of their own, because they need its mails in a file and its public origin; the README and the page about running the service use the stack that <code>test/e2e/start.test.ts</code> starts anyway. Commands are <code>curl</code> and Node, so that a page needs nothing that a reader does not have. A block that no test can run says so on the page.</p><p>The reference pages of errors, events, the manifest, metrics and settings are written from code (<code>npm run reference</code>) and committed, and a test compares them with what the script would write. Committed pages can be read in the repository and need no build. What code does not know (causes, remedies, meanings) is in tables in <code>tools/reference</code> whose types do not compile without a line for each code, or whose script fails for a field without one. State diagrams and worked prices are written by hand, and compared with the tables and functions of <code>src/domain</code>.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A change of a message or of an answer&#39;s shape can require a change of a page. The pages take about 30 s of the tests. Placeholders are named in one place (<code>VARIES</code>, <code>test/support/documents/documents.ts</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0115-commands-on-pages-are-run.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0115CommandsOnPagesAreRun = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0115CommandsOnPagesAreRun as default
};
