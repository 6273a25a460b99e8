import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0099: Operators look up any id at one address","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0099-operators-look-up-any-id-at-one-address.md","filePath":"adr/operations/0099-operators-look-up-any-id-at-one-address.md"}');
const _sfc_main = { name: "adr/operations/0099-operators-look-up-any-id-at-one-address.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0099-operators-look-up-any-id-at-one-address" tabindex="-1">0099: Operators look up any id at one address <a class="header-anchor" href="#_0099-operators-look-up-any-id-at-one-address" aria-label="Permalink to &quot;0099: Operators look up any id at one address&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extended by <a href="./0265-operators-search-by-part-and-grant-operators">ADR 0265</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An operator on call has one id: of a call, a payout, a dispute, an account, or a trace id from an error message. Each of them led to another operation, and none to the money of it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>GET /v1/operator/lookup?q=</code> says what an id, an e-mail address or a trace id names. Ids are read by primary key.</li><li>No index names trace ids: it would cost every call. The service makes the id of a call right after its trace id, and both begin with their time. So the lookup compares the calls of the ten seconds after a trace id, at most 10,000 of them. A trace id that a caller sent is not found.</li><li><code>GET /v1/operator/calls/{invocation_id}</code> has both sides of each transaction of a call, its hold and the id of its workflow, and neither input nor output. <code>GET /v1/operator/accounts/{user_id}/movements</code> has every movement of an account.</li><li><code>GET /v1/operator/platform</code> has the backlog that the metrics show, the open holds whose lease ends first, the applied migrations, and how far the ledger is sealed and proven.</li><li><code>GET /v1/invocations</code> takes <code>since</code>, <code>until</code> and <code>key_id</code>. Times become a range of ids, which the index of the list serves.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The check of the ledger itself runs by <code>market ledger check</code>: it reads every entry since the last proven day, which is too much for a request.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0099-operators-look-up-any-id-at-one-address.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0099OperatorsLookUpAnyIdAtOneAddress = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0099OperatorsLookUpAnyIdAtOneAddress as default
};
