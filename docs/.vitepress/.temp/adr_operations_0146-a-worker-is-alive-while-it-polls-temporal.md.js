import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0146: A worker is alive while it polls Temporal","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0146-a-worker-is-alive-while-it-polls-temporal.md","filePath":"adr/operations/0146-a-worker-is-alive-while-it-polls-temporal.md"}');
const _sfc_main = { name: "adr/operations/0146-a-worker-is-alive-while-it-polls-temporal.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0146-a-worker-is-alive-while-it-polls-temporal" tabindex="-1">0146: A worker is alive while it polls Temporal <a class="header-anchor" href="#_0146-a-worker-is-alive-while-it-polls-temporal" aria-label="Permalink to &quot;0146: A worker is alive while it polls Temporal&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0267-the-status-page-counts-noted-minutes">ADR 0267</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Each alert was caused once on a running stack, with Prometheus and these rules beside it: processes were stopped and frozen, tables were locked, rows were made old. All 24 fired. Readiness counted a frozen worker for about five minutes, because Temporal lists every poller of the last five minutes. A worker that answers Prometheus and takes no work from Temporal raised no alert. Eighteen alerts about loops came with the one about Postgres. Calls that were refused because a statement waited for a lock were answered with <code>not_ready</code>, and counted as <code>internal_error</code>.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An API process remembers when it last saw a new poll of the queue <code>operations</code> (<code>market_worker_poll_age_seconds</code>). Two minutes without one fail <code>checks.worker</code>, and raise <code>NoWorkerPolls</code>. The server ends a poll after a minute at most, so a worker that works is never so late. Times of the server are compared with each other only: a clock that differs makes no process unready. <code>LoopFails</code> is silent while <code>DatabaseDown</code> is true. <code>errorCodeOf</code> gives calls the code that their caller is answered.</p><p>The alternative, the time since the last task that a worker completed, says nothing in a market in which nothing happens.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A frozen worker fails readiness after about three minutes. A scrape of an API process asks Temporal once, for a second at most; without an answer the figure is absent, and <code>EngineRefusesStarts</code> fires. Prometheus needs its default time-out of ten seconds for a scrape: a worker whose tables are locked answers after some seconds.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0146-a-worker-is-alive-while-it-polls-temporal.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0146AWorkerIsAliveWhileItPollsTemporal = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0146AWorkerIsAliveWhileItPollsTemporal as default
};
