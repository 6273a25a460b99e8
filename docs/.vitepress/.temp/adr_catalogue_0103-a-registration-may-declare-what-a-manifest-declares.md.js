import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0103: A registration may declare what a manifest declares","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0103-a-registration-may-declare-what-a-manifest-declares.md","filePath":"adr/catalogue/0103-a-registration-may-declare-what-a-manifest-declares.md"}');
const _sfc_main = { name: "adr/catalogue/0103-a-registration-may-declare-what-a-manifest-declares.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0103-a-registration-may-declare-what-a-manifest-declares" tabindex="-1">0103: A registration may declare what a manifest declares <a class="header-anchor" href="#_0103-a-registration-may-declare-what-a-manifest-declares" aria-label="Permalink to &quot;0103: A registration may declare what a manifest declares&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0207-what-buyers-read-is-verified-first">ADR 0207</a>: a change of the description is verified, too.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification registers a self-hosted agent by its endpoint and price. Issue 18 asks that such an agent can earn like one with a manifest.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A registration may have description, schemas, examples, input role and data handling of a manifest, and a bundle. Its version document contains them in the same places, so calls, probes and scans need no case of their own. The rules are those of a manifest.</li><li>With an output schema the agent must answer JSON, and the body of <code>/use</code> is its input. Without schemas nothing changes.</li><li>A new schema, example, data handling or bundle is verified before it serves, like a new endpoint. A change of the description serves at once (superseded by 0207).</li><li>A change without a bundle copies the last one to the new version, because a version and its bundle never change.</li><li>The tools of an MCP server have schemas of their own, so its registration may have none.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A registration that declares the least favourable data handling word for word is shown as one that declares none. The limit of the request&#39;s body is that of publishing.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0103-a-registration-may-declare-what-a-manifest-declares.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0103ARegistrationMayDeclareWhatAManifestDeclares = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0103ARegistrationMayDeclareWhatAManifestDeclares as default
};
