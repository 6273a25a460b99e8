import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The API is slow","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/api-slow.md","filePath":"operators/runbooks/api-slow.md"}');
const _sfc_main = { name: "operators/runbooks/api-slow.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-api-is-slow" tabindex="-1">The API is slow <a class="header-anchor" href="#the-api-is-slow" aria-label="Permalink to &quot;The API is slow&quot;">​</a></h1><p>Alerts: <code>ApiIsSlow</code>.</p><p>Calls take a second longer than their agents, or the event loop of a process is blocked for half a second.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><p>The first query shows which process, the second the database&#39;s share:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>max by (instance) (nodejs_eventloop_lag_p99_seconds)</span></span>
<span class="line"><span>max by (instance, state) (market_database_connections)</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li>High lag in one process: it has more load than one core can carry. Add API processes (<a href="./../hardware">how much hardware</a>).</li><li>Low lag, and connections <code>waiting</code>: <a href="./pool-exhausted">the pool is exhausted</a>.</li><li>Low lag, and <code>market_http_errors_total{code=&quot;not_ready&quot;}</code> grows: statements wait for a lock, until they are cancelled after four seconds. Find the session that <a href="./pool-exhausted#look">holds it</a>.</li><li>Neither: look at <code>market_engine_start_duration_seconds</code>, and at the load of the Temporal server.</li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p>The 99th percentile of <code>market_call_overhead_seconds</code> is below a second.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/api-slow.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const apiSlow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  apiSlow as default
};
