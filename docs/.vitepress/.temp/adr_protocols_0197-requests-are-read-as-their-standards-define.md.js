import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0197: Requests are read as their standards define them","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0197-requests-are-read-as-their-standards-define.md","filePath":"adr/protocols/0197-requests-are-read-as-their-standards-define.md"}');
const _sfc_main = { name: "adr/protocols/0197-requests-are-read-as-their-standards-define.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0197-requests-are-read-as-their-standards-define-them" tabindex="-1">0197: Requests are read as their standards define them <a class="header-anchor" href="#_0197-requests-are-read-as-their-standards-define-them" aria-label="Permalink to &quot;0197: Requests are read as their standards define them&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Client libraries write the same thing in several ways, and the service refused some of them, or acted on a part of a request.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>application/json</code> with any parameters is JSON, as RFC 8259 has none; its charset must be UTF-8 or US-ASCII. A type that ends in <code>+json</code> is JSON, except the patch formats, which say how to change something. The standard binding of A2A takes <code>application/json</code> and <code>application/a2a+json</code>, and answers 415 with <code>CONTENT_TYPE_NOT_SUPPORTED</code> (-32005) to others; a message whose <em>parts</em> do not fit stays 400, as in A2A 1.0.1.</li><li>An integer that loses digits is refused in every spelling (<code>…993.0</code>, <code>…993e0</code>, <code>…9930e-1</code>). A number whose digits a double keeps, such as <code>6.02e23</code>, is read.</li><li><code>Idempotency-Key: &quot;k&quot;</code> is the key <code>k</code>. <code>aud</code> of a mandate and its proof may be a list. <code>null</code> in place of an optional member of an MCP message is its absence.</li><li>Node drops headers behind its limit, so the service counts them itself: more than 100 are 431. No <code>Host</code>, two of them, or a malformed one are 400, an expectation other than <code>100-continue</code> is 417, and <code>CONNECT</code> is 405, all with the error body of the contract.</li><li>A text part of A2A that begins as a JSON object is an input or is refused with the reason of the strict reader. It never becomes the text of a paid call. Text beside a data part is refused, because the agent would not get it.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>POST /chat/</code> is described with the slash of the specification and answers without it, too. A client that sent text beside data has to choose.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0197-requests-are-read-as-their-standards-define.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0197RequestsAreReadAsTheirStandardsDefine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0197RequestsAreReadAsTheirStandardsDefine as default
};
