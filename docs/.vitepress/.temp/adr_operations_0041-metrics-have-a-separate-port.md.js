import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0041: Metrics have a separate port, and no figures of single accounts","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0041-metrics-have-a-separate-port.md","filePath":"adr/operations/0041-metrics-have-a-separate-port.md"}');
const _sfc_main = { name: "adr/operations/0041-metrics-have-a-separate-port.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0041-metrics-have-a-separate-port-and-no-figures-of-single-accounts" tabindex="-1">0041: Metrics have a separate port, and no figures of single accounts <a class="header-anchor" href="#_0041-metrics-have-a-separate-port-and-no-figures-of-single-accounts" aria-label="Permalink to &quot;0041: Metrics have a separate port, and no figures of single accounts&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Operators expect <code>/metrics</code>. The public API would have to protect it, its proxies to hide it, and the worker, which has no HTTP, would still have none.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each process serves <code>GET /metrics</code> on <code>METRICS_HOST</code> and <code>METRICS_PORT</code>, without authentication, and only if the port is set. An occupied port is a warning: a process does not end because of its metrics.</p><p>Labels are closed sets of the service&#39;s own words. Figures of one agent, developer or buyer belong to <code>GET /v1/agents/{id}/usage</code> and to the ledger, not to metrics: the number of series must not grow with the marketplace.</p><p>A call is counted once, where it ends for its caller: in the engine&#39;s <code>invoke</code> for every surface with a waiting caller, in the worker for tasks. A caller who joins an earlier call by its key counts as <code>joined</code>. The lease sweep counts the calls that it ends, whatever their callers saw.</p><p>The workers read the backlog from Postgres when they are scraped, from indexes over open rows, and keep it for two seconds. A call does no work for it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A call costs a few additions in memory.</li><li>A restart resets counters to 0, as Prometheus expects; the ledger has what must not be lost.</li><li>Several workers report the same backlog: alerts use the maximum.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0041-metrics-have-a-separate-port.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0041MetricsHaveASeparatePort = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0041MetricsHaveASeparatePort as default
};
