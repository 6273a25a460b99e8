import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0056: A payout reserves the earnings of a developer in steps of 2,000","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0056-payouts-reserve-in-steps.md","filePath":"adr/money/0056-payouts-reserve-in-steps.md"}');
const _sfc_main = { name: "adr/money/0056-payouts-reserve-in-steps.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0056-a-payout-reserves-the-earnings-of-a-developer-in-steps-of-2-000" tabindex="-1">0056: A payout reserves the earnings of a developer in steps of 2,000 <a class="header-anchor" href="#_0056-a-payout-reserves-the-earnings-of-a-developer-in-steps-of-2-000" aria-label="Permalink to &quot;0056: A payout reserves the earnings of a developer in steps of 2,000&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>One transaction over 50,000 lots took 9.7 s against a statement timeout of 4 s, left 50,000 dead rows with three index entries each at every try, and more than 50,000 lots a week were never caught up. Steps of 2,000 lots take 27 ms (median; at most 77 ms, 300,000 lots, two cores), and table and indexes keep their size.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>payout_reserve</code> takes about 2,000 lots of a developer in one transaction and is repeated until no lot is left. Every step moves what it took from <code>payable</code> to <code>payout_clearing</code>, so the ledger is whole after each of them. The payout is <code>reserving</code> in between, is in no file, and may be given back. No index of <code>earnings</code> names <code>payout_id</code>, and its pages are at most 45% full, so that marking a lot is a HOT update. The unpaid lots are found by a cursor for each developer and destination, <code>payout_cursors</code>, and by an index of <code>late</code> lots, which are unpaid behind a cursor.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A cursor never passes the present. A lot that matures within an hour of its capture is <code>late</code> from the beginning, because a cursor may pass it before its transaction commits.</li><li>When the agents of a destination change, its cursor begins again at the first lot: lots behind it may belong to it now.</li><li>Reasons to roll over are known in the first step, with few exceptions: the file was written meanwhile, the sum needs a tax form, or the lots of an address do not reach the minimum. Then the payout fails and its amount is a carry.</li><li>Fewer index entries make up for the free half of the pages: two indexes with one entry for each lot are gone.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0056-payouts-reserve-in-steps.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0056PayoutsReserveInSteps = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0056PayoutsReserveInSteps as default
};
