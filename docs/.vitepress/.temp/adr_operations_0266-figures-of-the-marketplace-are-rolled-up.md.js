import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0266: Figures of the marketplace are rolled up by minute and day","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0266-figures-of-the-marketplace-are-rolled-up.md","filePath":"adr/operations/0266-figures-of-the-marketplace-are-rolled-up.md"}');
const _sfc_main = { name: "adr/operations/0266-figures-of-the-marketplace-are-rolled-up.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0266-figures-of-the-marketplace-are-rolled-up-by-minute-and-day" tabindex="-1">0266: Figures of the marketplace are rolled up by minute and day <a class="header-anchor" href="#_0266-figures-of-the-marketplace-are-rolled-up-by-minute-and-day" aria-label="Permalink to &quot;0266: Figures of the marketplace are rolled up by minute and day&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Operators saw queues and no business: no calls, errors, durations, volume or fees, and nothing of the last hour. Usage was rolled up by agent and day; a sum over all agents costs more with each agent, and a sum over calls costs more with each call.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>The loop that adds up the usage of agents writes two more tables in the same transaction: <code>market_days</code>, and <code>market_minutes</code>, of which three hours are kept. Their rows are counts, charges and fees by state, error code and duration bucket, so reading them costs the same after any number of calls and agents.</li><li>A call counts in the minute in which it was added up, which is a second or two after its end, and in the UTC day in which it was accepted. A statement of a call writes nothing more.</li><li>Volume is what calls were charged, also where a dispute gave the charge back; refunds are shown beside it. New accounts are counted by their ids, which begin with the time, up to 10,000.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>While no worker runs, the last hour stands still and then counts the calls in the minute of the catch-up. <code>usage_recount</code> writes the days again.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0266-figures-of-the-marketplace-are-rolled-up.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0266FiguresOfTheMarketplaceAreRolledUp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0266FiguresOfTheMarketplaceAreRolledUp as default
};
