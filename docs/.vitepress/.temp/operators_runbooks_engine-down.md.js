import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Temporal does not answer","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/engine-down.md","filePath":"operators/runbooks/engine-down.md"}');
const _sfc_main = { name: "operators/runbooks/engine-down.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="temporal-does-not-answer" tabindex="-1">Temporal does not answer <a class="header-anchor" href="#temporal-does-not-answer" aria-label="Permalink to &quot;Temporal does not answer&quot;">​</a></h1><p>Alerts: <code>EngineRefusesStarts</code>.</p><p>An API process cannot reach Temporal. New calls answer 503 <code>engine_unavailable</code> within two seconds and cost nothing. Everything else works. Calls that were accepted before end normally.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">curl</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -s</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$MARKET_API_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">/readiness&quot;</span></span></code></pre></div><p><code>checks.temporal</code> is <code>failed</code>, and so is <code>checks.worker</code>, because only the engine knows which workers poll. A process that was connected logs <code>the engine did not confirm a start</code> while calls fail. One that starts logs <code>Temporal is not reachable; retrying</code>, with the reason: the address, a certificate, the namespace, or a missing search attribute. After five minutes the alerts about <a href="./monday-late">Mondays</a>, <a href="./deliveries-wait">webhooks</a> and <a href="./verifications-wait">verifications</a> can follow, and the loop <code>payout sweep</code> fails: they have the same cause.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>Start the Temporal server, or check the hosted cluster&#39;s status page.</li><li>With an error of TLS or authentication, check <code>TEMPORAL_TLS</code>, <code>TEMPORAL_API_KEY</code> and the certificate files (<a href="./../temporal-cluster">Temporal with TLS</a>).</li><li>When Temporal&#39;s state is lost, start an empty one: the sweeps start what is open (<a href="./../backup#temporal">backup</a>).</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_engine_connected</code> is 1 and <code>market_engine_breaker_open</code> is 0 in every process. The breaker closes by itself within ten seconds, and the sweeps start what waited within a minute.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/engine-down.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const engineDown = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  engineDown as default
};
