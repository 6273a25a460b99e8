import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0012: Four error codes are added to the table of the contract","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0012-four-error-codes-beyond-the-contract.md","filePath":"adr/protocols/0012-four-error-codes-beyond-the-contract.md"}');
const _sfc_main = { name: "adr/protocols/0012-four-error-codes-beyond-the-contract.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0012-four-error-codes-are-added-to-the-table-of-the-contract" tabindex="-1">0012: Four error codes are added to the table of the contract <a class="header-anchor" href="#_0012-four-error-codes-are-added-to-the-table-of-the-contract" aria-label="Permalink to &quot;0012: Four error codes are added to the table of the contract&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every answer has the contract&#39;s error body. Some failures have no code in its table: requests that Node&#39;s parser refuses before Express sees them, a method that a path does not have, a body that never arrives, an internal error.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>There are four more codes: <code>malformed_request</code> (400: unacceptable HTTP, a path with broken encoding, a body that ends early), <code>method_not_allowed</code> (405, with <code>Allow</code>), <code>request_timeout</code> (408), <code>internal_error</code> (500, with the trace id and nothing else). Headers beyond 16 KiB are <code>invalid_header</code> with status 431. If Postgres is unavailable, any operation answers 503 <code>not_ready</code>. A validator that exceeds its time or memory is a 422 if it reads an input, and a mismatch of the agent if it reads an answer.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Clients may rely on the body&#39;s shape for every status. The tables of codes and statuses are exhaustive: a code without message, retryability or status does not compile.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0012-four-error-codes-beyond-the-contract.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012FourErrorCodesBeyondTheContract = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0012FourErrorCodesBeyondTheContract as default
};
