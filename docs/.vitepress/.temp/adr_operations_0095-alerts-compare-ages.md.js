import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0095: Alerts compare the age of what waits, and not its number","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0095-alerts-compare-ages.md","filePath":"adr/operations/0095-alerts-compare-ages.md"}');
const _sfc_main = { name: "adr/operations/0095-alerts-compare-ages.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0095-alerts-compare-the-age-of-what-waits-and-not-its-number" tabindex="-1">0095: Alerts compare the age of what waits, and not its number <a class="header-anchor" href="#_0095-alerts-compare-the-age-of-what-waits-and-not-its-number" aria-label="Permalink to &quot;0095: Alerts compare the age of what waits, and not its number&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Alerts have to say that money or a promise is late. Counts do not: a hundred open payouts are normal on a Monday, one from last month is not.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Every queue, case, clearing account, Monday, seal and ledger check has a metric with the age of its oldest item. A worker reads all of them in two statements when it is scraped, at most every two seconds, from indexes over open items; <code>loaded-market.test.ts</code> bounds the rows. <code>market ledger check</code> records its outcome in <code>ledger_checks</code>, because a command that cron runs has no port to be scraped.</p><p><strong>The metrics of the Temporal SDK</strong> are on the same port. The SDK serves them only on a port of its own, so a process with <code>METRICS_PORT</code> gives it a free port on loopback and appends its text to each scrape. A collector in JavaScript (<code>MetricsBuffer</code>) would have cost each call a few dozen events.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A scrape costs the same after years. The rules name no metric that the service does not serve (<code>test/arch/alerts.test.ts</code>). The only foreign exporter is node_exporter, for disks, because Postgres does not know how much of its disk is free.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0095-alerts-compare-ages.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0095AlertsCompareAges = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0095AlertsCompareAges as default
};
