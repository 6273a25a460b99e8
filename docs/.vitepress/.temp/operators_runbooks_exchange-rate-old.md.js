import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The exchange rate is old or missing","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/exchange-rate-old.md","filePath":"operators/runbooks/exchange-rate-old.md"}');
const _sfc_main = { name: "operators/runbooks/exchange-rate-old.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-exchange-rate-is-old-or-missing" tabindex="-1">The exchange rate is old or missing <a class="header-anchor" href="#the-exchange-rate-is-old-or-missing" aria-label="Permalink to &quot;The exchange rate is old or missing&quot;">​</a></h1><p>Alerts: <code>ExchangeRateOld</code>, <code>ExchangeRateMissing</code>.</p><p>Payouts in rupees use the newest rate of the week before their Monday. Without one, they roll over to the next Monday.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> fx</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> show</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li>With <code>FX_SOURCE</code>, the last fetches say why: the source is not reachable, or its rate moved by more than <code>FX_MAX_CHANGE_PERCENT</code>.</li><li>Load the rate by hand: <code>market fx load 84.1235 --source &quot;RBI reference rate&quot;</code>.</li><li>If the marketplace makes no payouts in rupees, it needs no exchange rate. Delete the alert <code>ExchangeRateMissing</code> from your rules.</li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_exchange_rate_age_seconds</code> is below four days.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/exchange-rate-old.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const exchangeRateOld = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  exchangeRateOld as default
};
