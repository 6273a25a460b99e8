import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0063: The daily check of the ledger begins after the last proven day","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0063-the-daily-check-begins-after-the-last-proven-day.md","filePath":"adr/money/0063-the-daily-check-begins-after-the-last-proven-day.md"}');
const _sfc_main = { name: "adr/money/0063-the-daily-check-begins-after-the-last-proven-day.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0063-the-daily-check-of-the-ledger-begins-after-the-last-proven-day" tabindex="-1">0063: The daily check of the ledger begins after the last proven day <a class="header-anchor" href="#_0063-the-daily-check-of-the-ledger-begins-after-the-last-proven-day" aria-label="Permalink to &quot;0063: The daily check of the ledger begins after the last proven day&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The ledger check recomputed everything from the first entry on. Its cost grew with the age of the service, and at some size no operator would run it daily.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Sealed days do not change, so a check may begin after one of them. <code>ledger_prove</code> records the last sealed day that a check has proven and keeps, for each account, its balance and number of entries at the end of that day. It computes them from the entries itself. An incremental check puts a <code>WITH</code> in front of the text of each proof, in which the names of the tables mean a part of them (<code>src/stores/ledger/ledger-window.ts</code>). So a proof has one text, for all of the ledger and for a part. Proofs about totals over all time are made by the full check only; the incremental report names them.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The cost of the daily check depends on the movements since yesterday. A change of rows of a proven day is found by the full check, by its digest. A call that moves money for more than two days is compared with its hold by the full check only. Tests run the full check.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0063-the-daily-check-begins-after-the-last-proven-day.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0063TheDailyCheckBeginsAfterTheLastProvenDay = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0063TheDailyCheckBeginsAfterTheLastProvenDay as default
};
