import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0042: Payouts in rupees use reference rates that are fetched and checked","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0042-fetched-exchange-rates-are-checked.md","filePath":"adr/money/0042-fetched-exchange-rates-are-checked.md"}');
const _sfc_main = { name: "adr/money/0042-fetched-exchange-rates-are-checked.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0042-payouts-in-rupees-use-reference-rates-that-are-fetched-and-checked" tabindex="-1">0042: Payouts in rupees use reference rates that are fetched and checked <a class="header-anchor" href="#_0042-payouts-in-rupees-use-reference-rates-that-are-fetched-and-checked" aria-label="Permalink to &quot;0042: Payouts in rupees use reference rates that are fetched and checked&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Payouts in rupees use a spot rate less 0.5%, &quot;from a rate table that an operator loads or an adapter fetches&quot;. A fetched number moves money without review. Public sources without a contract give one reference rate for each working day, none on weekends and holidays. Any of them may be wrong, late, or taken over one day.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The adapter reads the daily reference rates of the European Central Bank (its XML, or Frankfurter&#39;s JSON of the same), through egress, once an hour by a Schedule, only if <code>FX_SOURCE</code> is set. The time of a rate is the time of the banks&#39; agreement, 14:15 in Frankfurt, not that of the fetch. A rate is loaded if it is not in the future, not older than six days, newer than the known rate and at most <code>FX_MAX_CHANGE_PERCENT</code> from it. Otherwise the fetch is recorded with the reason, and an operator may load the rate. A Monday uses the latest rate of the week before it, so Friday&#39;s. Without one, its payouts in rupees roll over; an older rate is never used. A strict reader of this one format reads the XML instead of a library: it has no entities, document types or comments.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A real change of the rate by more than a tenth in a day waits for an operator. A source that is down for a week delays payouts in rupees, not those in dollars. Another source is a reader and a line in <code>src/egress/exchange-rates.ts</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0042-fetched-exchange-rates-are-checked.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0042FetchedExchangeRatesAreChecked = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0042FetchedExchangeRatesAreChecked as default
};
