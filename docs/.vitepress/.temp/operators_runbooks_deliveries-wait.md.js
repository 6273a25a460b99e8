import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Webhooks wait","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/deliveries-wait.md","filePath":"operators/runbooks/deliveries-wait.md"}');
const _sfc_main = { name: "operators/runbooks/deliveries-wait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="webhooks-wait" tabindex="-1">Webhooks wait <a class="header-anchor" href="#webhooks-wait" aria-label="Permalink to &quot;Webhooks wait&quot;">​</a></h1><p>Alerts: <code>DeliveriesWait</code>.</p><p>The outbox has an event for which no delivery was started for five minutes. Endpoints that fail do not count: their deliveries have been started and are repeated for a day.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>market_deliveries_waiting</span></span>
<span class="line"><span>sum by (result) (rate(market_delivery_attempts_total[5m]))</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>Nothing is attempted: the worker or Temporal is down (<a href="./process-down">a process is down</a>, <a href="./engine-down">Temporal</a>).</li><li>Attempts go on, and the queue is long: one account sent many events. Accounts take turns, so wait, or add a worker.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_deliveries_oldest_seconds</code> is below five minutes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/deliveries-wait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const deliveriesWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  deliveriesWait as default
};
