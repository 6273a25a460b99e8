import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0026: API keys are read at each request, and count against their account too","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0026-api-keys-are-read-at-each-request.md","filePath":"adr/accounts/0026-api-keys-are-read-at-each-request.md"}');
const _sfc_main = { name: "adr/accounts/0026-api-keys-are-read-at-each-request.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0026-api-keys-are-read-at-each-request-and-count-against-their-account-too" tabindex="-1">0026: API keys are read at each request, and count against their account too <a class="header-anchor" href="#_0026-api-keys-are-read-at-each-request-and-count-against-their-account-too" aria-label="Permalink to &quot;0026: API keys are read at each request, and count against their account too&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A deleted key must be refused at once in every process. A key must not exceed its cap in parallel calls. The contract limits requests &quot;per account or key&quot;, and every account may create many keys.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>Keys are not cached. Each request reads key and owner by the primary key of the secret&#39;s hash: 0.14 ms (median), like a session; <code>SELECT 1</code> takes 0.08 ms. A cache would need notifications of deletions, which would arrive late.</li><li>A key keeps its id when it is rotated, and has one row for each valid secret. Rotating does not reset spending.</li><li>A key&#39;s spending is a counter. A trigger on <code>invocations</code> changes it when a call becomes or ceases to be <code>succeeded</code>. Calls in flight are summed in <code>invocation_accept</code>, in the statement that reads the counter. The key&#39;s row is the last lock of every function that moves a call. A CHECK repeats the cap, and <code>ledger:check</code> proves the counter.</li><li>A request with a key counts against the key and against its account, or against neither if one of them has no points left. So keys do not multiply an account&#39;s limit, and an exhausted key does not use up its account&#39;s limit. Deleting a key counts by address only.</li><li>Deleted keys keep their row, because invocations refer to them.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Each request with a key costs one indexed read. A key&#39;s last use is updated in batches, at most once a minute. A call in flight counts with its maximum cost, so a metered call may be refused although its final cost would fit.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0026-api-keys-are-read-at-each-request.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0026ApiKeysAreReadAtEachRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0026ApiKeysAreReadAtEachRequest as default
};
