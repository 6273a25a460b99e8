import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0267: The status page counts noted minutes, and a worker reports every five seconds","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0267-the-status-page-counts-noted-minutes.md","filePath":"adr/operations/0267-the-status-page-counts-noted-minutes.md"}');
const _sfc_main = { name: "adr/operations/0267-the-status-page-counts-noted-minutes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0267-the-status-page-counts-noted-minutes-and-a-worker-reports-every-five-seconds" tabindex="-1">0267: The status page counts noted minutes, and a worker reports every five seconds <a class="header-anchor" href="#_0267-the-status-page-counts-noted-minutes-and-a-worker-reports-every-five-seconds" aria-label="Permalink to &quot;0267: The status page counts noted minutes, and a worker reports every five seconds&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0146-a-worker-is-alive-while-it-polls-temporal">ADR 0146</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A frozen worker was shown as working for two minutes, and then as failed beside loops that &quot;work&quot;. Buyers saw the names of Postgres and Temporal instead of an answer to &quot;is it down for everyone?&quot;, and no history.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>checks.worker</code> needs both a poll of the last two minutes and a report of the last 15 s. A worker reports every five seconds by the loop that already reports its failing loops, so a frozen one is noticed in 20 s. Without a report, <code>checks.loops</code> fails too. A worker that ends takes its report back; one that is killed is listed as silent for an hour.</li><li><code>GET /v1/status</code> is public and cached: three parts in words of customers (pages and API, calls, work in the background), the present state, and the share of each of the last 90 days in which a part worked.</li><li>Each API process notes its checks every 20 s. The first note of a minute counts it; a failure seen by any process makes it a failed one. A minute without a note is an outage, because then no process could write: the history cannot look better than it was.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A worker that cannot write to Postgres for 15 s fails readiness, although it polls. Notes cost each API process one statement in 20 s, and a day three rows.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0267-the-status-page-counts-noted-minutes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0267TheStatusPageCountsNotedMinutes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0267TheStatusPageCountsNotedMinutes as default
};
