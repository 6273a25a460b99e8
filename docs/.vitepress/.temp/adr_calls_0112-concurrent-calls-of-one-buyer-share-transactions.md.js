import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0112: Concurrent calls of one buyer share transactions","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0112-concurrent-calls-of-one-buyer-share-transactions.md","filePath":"adr/calls/0112-concurrent-calls-of-one-buyer-share-transactions.md"}');
const _sfc_main = { name: "adr/calls/0112-concurrent-calls-of-one-buyer-share-transactions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0112-concurrent-calls-of-one-buyer-share-transactions" tabindex="-1">0112: Concurrent calls of one buyer share transactions <a class="header-anchor" href="#_0112-concurrent-calls-of-one-buyer-share-transactions" aria-label="Permalink to &quot;0112: Concurrent calls of one buyer share transactions&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Each acceptance and each settlement was a transaction of its own. Those of one buyer lock the same wallet until their commit is on disk, so they ran one after another anyway, each with a request, a commit and a connection that waited.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A process performs the acceptances of one buyer in turns, and the settlements too (<code>src/stores/calls/call-batches.ts</code>). The first is performed at once and alone. Calls that arrive meanwhile wait, and the next statement performs them together, at most 16 in one transaction. They wait no longer than before, because all of them need the wallet that the running statement has locked.</p><ul><li><strong>Buyers never share a batch</strong>, so one buyer&#39;s locks, limits and faults are not felt by another, and a buyer takes at most two connections of a process for its calls.</li><li><strong>A batch that fails because of one of its calls is performed again, call by call</strong>: the others succeed. A failure of the database fails all of them, as it did before, and the sweeps decide about what may have been written.</li><li><code>invocation_accept_permit</code> takes several calls. More than one lock the wallets first, then the counters of free calls in order. <code>invocation_settle</code> takes the locks of several calls in order, as before.</li><li>Refunds and the order of <code>ENROLMENT=confirmed</code> are not batched: faults are few, and its workflows perform one call each.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The figures are in <a href="./../../cost-of-a-call">what a call costs</a>. A process that dies in a batch leaves up to 16 calls of one buyer to the sweep and not one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0112-concurrent-calls-of-one-buyer-share-transactions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0112ConcurrentCallsOfOneBuyerShareTransactions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0112ConcurrentCallsOfOneBuyerShareTransactions as default
};
