import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0118: The documentation is a static site that the API serves","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0118-the-documentation-is-a-static-site.md","filePath":"adr/operations/0118-the-documentation-is-a-static-site.md"}');
const _sfc_main = { name: "adr/operations/0118-the-documentation-is-a-static-site.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0118-the-documentation-is-a-static-site-that-the-api-serves" tabindex="-1">0118: The documentation is a static site that the API serves <a class="header-anchor" href="#_0118-the-documentation-is-a-static-site-that-the-api-serves" aria-label="Permalink to &quot;0118: The documentation is a static site that the API serves&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Readers without a clone need the documents with search, and the API reference beside them. The pages stay Markdown in <code>docs/</code>, because the people who change the behaviour change them in the same commit.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>npm run docs</code> builds <code>docs/</code> with VitePress into <code>dist/docs</code>, when a page has changed. The build fails on a link to a page that does not exist. <code>npm start</code> builds in the background, <code>npm run check:static</code> builds and so checks the links.</li><li>The API serves the site at <code>/docs/</code>, to anybody, by Express&#39;s own static files. Scripts come from this origin; the two scripts that VitePress writes into each page are permitted by their hashes. Styles may be inline: highlighted code and diagrams have style attributes.</li><li>The API reference at <code>/docs/api/</code> is Redoc 2.5 with <code>/openapi.json</code> of the running service. Scalar&#39;s package is five times larger and needs a newer Node. Redoc 3 needs Node 22. Redoc 2.5 loads the logo of its maker from the maker&#39;s server, and has no option against it; the build replaces the logo by an empty picture, and fails if the library names another file of such a server.</li><li>Mermaid draws diagrams in the browser. The build copies the library instead of bundling it, which halves the time.</li><li>A link to a file outside <code>docs/</code> is a link in the repository and plain text on the site.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A build takes about 16 s of CPU, so <code>npm test</code> does not build the site. A change of VitePress&#39;s inline scripts needs no change here: their hashes are read from the built pages.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0118-the-documentation-is-a-static-site.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0118TheDocumentationIsAStaticSite = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0118TheDocumentationIsAStaticSite as default
};
