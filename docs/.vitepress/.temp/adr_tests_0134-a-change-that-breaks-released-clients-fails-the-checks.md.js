import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0134: A change that breaks released clients fails the checks","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/tests/0134-a-change-that-breaks-released-clients-fails-the-checks.md","filePath":"adr/tests/0134-a-change-that-breaks-released-clients-fails-the-checks.md"}');
const _sfc_main = { name: "adr/tests/0134-a-change-that-breaks-released-clients-fails-the-checks.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0134-a-change-that-breaks-released-clients-fails-the-checks" tabindex="-1">0134: A change that breaks released clients fails the checks <a class="header-anchor" href="#_0134-a-change-that-breaks-released-clients-fails-the-checks" aria-label="Permalink to &quot;0134: A change that breaks released clients fails the checks&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The two clients and the command line are released apart from the service. A change of the contract that breaks them was noticed only where one of our own tests used the field.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>packages/released-contract.json</code> is the contract that released clients know, without texts and examples. A unit test compares it with the current one, so <code>npm run check</code> and CI fail for: an operation, parameter or field of an answer that is gone; a field of an answer that may be missing, or has a type that was not possible; a request that needs more, or takes fewer fields, values or a narrower range; another credential; another <code>operationId</code>, which is the name of a Python method. Additions pass: new fields and enum values of answers, because clients ignore what they do not know. <code>npm run contract:release</code> takes the current contract, with the release of clients that know it.</p><p>The comparison is ours (<code>tools/contract/breaking-changes.ts</code>). oasdiff, the tool for this, is a Go program: <code>npm run check</code> would need Go, or a binary of its releases, on each machine. <code>@pb33f/openapi-changes</code> of the npm registry downloads a binary when it is installed, which <code>npm ci</code> does not allow here. The rules of oasdiff&#39;s errors were the model; its warnings, such as new enum values of answers, are no breaks here.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A deliberate break is released: the test fails until <code>npm run contract:release</code> is run in the commit, which a reviewer sees. Objects of a union with several alternatives are compared by type only.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/tests/0134-a-change-that-breaks-released-clients-fails-the-checks.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0134AChangeThatBreaksReleasedClientsFailsTheChecks = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0134AChangeThatBreaksReleasedClientsFailsTheChecks as default
};
