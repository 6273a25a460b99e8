import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0209: The OpenAPI document has the errors of each protocol, and one answer names every invalid field","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0209-each-protocol-has-its-errors-in-the-document.md","filePath":"adr/protocols/0209-each-protocol-has-its-errors-in-the-document.md"}');
const _sfc_main = { name: "adr/protocols/0209-each-protocol-has-its-errors-in-the-document.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0209-the-openapi-document-has-the-errors-of-each-protocol-and-one-answer-names-every-invalid-field" tabindex="-1">0209: The OpenAPI document has the errors of each protocol, and one answer names every invalid field <a class="header-anchor" href="#_0209-the-openapi-document-has-the-errors-of-each-protocol-and-one-answer-names-every-invalid-field" aria-label="Permalink to &quot;0209: The OpenAPI document has the errors of each protocol, and one answer names every invalid field&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The OpenAPI document named the error body of the contract for A2A and MCP, which send the errors of A2A 1.0 and of JSON-RPC, and a string for A2A responses, which are objects. A body with a wrong form was refused before the rules that services check, so that a client learnt of its invalid fields one after another.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each operation has one <code>errorForm</code> (<code>src/contract/openapi-error-forms.ts</code>), from which its error responses follow. Wrong content types of A2A stay 415 with <code>CONTENT_TYPE_NOT_SUPPORTED</code> (-32005 in JSON-RPC), as A2A 1.0 and its compatibility kit demand. The released contract has the right type for the A2A responses: the old one described what was never sent. <code>laterProblems</code> of an operation are listed with the problems of form; several of them in a body of the right form are one <code>validation_failed</code>, a single one keeps the code of its service. Times and cursors are formats of the validator, so that they are listed with the other parameters.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>npm run fuzz:foreign</code> fails for a response that the document does not describe. Whether a cursor belongs to the list is still checked alone, when the other parameters are valid.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0209-each-protocol-has-its-errors-in-the-document.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0209EachProtocolHasItsErrorsInTheDocument = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0209EachProtocolHasItsErrorsInTheDocument as default
};
