import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Calls fail because of the service","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/calls-fail.md","filePath":"operators/runbooks/calls-fail.md"}');
const _sfc_main = { name: "operators/runbooks/calls-fail.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="calls-fail-because-of-the-service" tabindex="-1">Calls fail because of the service <a class="header-anchor" href="#calls-fail-because-of-the-service" aria-label="Permalink to &quot;Calls fail because of the service&quot;">​</a></h1><p>Alerts: <code>CallsFailInternally</code>.</p><p>More than 1% of the calls end with <code>internal_error</code>, <code>engine_unavailable</code>, <code>not_ready</code> or <code>overloaded</code>. Failures of agents do not count. Such calls cost nothing.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><p>The code tells the part. In Prometheus:</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>sum by (code) (rate(market_calls_total{outcome=~&quot;failed|refused&quot;}[5m]))</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li><code>engine_unavailable</code>: <a href="./engine-down">Temporal does not answer</a>.</li><li><code>not_ready</code>: <a href="./database-down">Postgres does not answer</a>, a session <a href="./pool-exhausted">holds a lock</a>, or a process that stops still gets requests: check the load balancer&#39;s readiness check.</li><li><code>overloaded</code>: <a href="./pool-exhausted">the pool is exhausted</a>.</li><li><code>internal_error</code>: the log line <code>request failed unexpectedly</code> has the stack and the trace id. Go back to the release before if it began with a release.</li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p>The share is below 1% for five minutes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/calls-fail.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const callsFail = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  callsFail as default
};
