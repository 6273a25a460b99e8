import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"A payout waits for the bank","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/payouts-wait.md","filePath":"operators/runbooks/payouts-wait.md"}');
const _sfc_main = { name: "operators/runbooks/payouts-wait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="a-payout-waits-for-the-bank" tabindex="-1">A payout waits for the bank <a class="header-anchor" href="#a-payout-waits-for-the-bank" aria-label="Permalink to &quot;A payout waits for the bank&quot;">​</a></h1><p>Alerts: <code>PayoutsWaitForTheBank</code>.</p><p>A payout has been <code>processing</code> (in a payment file) or <code>pending</code> for four days. Its credits are in the account <code>payout_clearing</code>.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> payouts</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --all</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --status</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> processing</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> payouts</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --all</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --status</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> pending</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li><code>processing</code>: look for the payout&#39;s reference in the bank&#39;s statement, and record what happened: <code>market payouts settle &lt;payout&gt; paid --reason &quot;Statement of 24 November&quot;</code>, or <code>returned --reason &quot;R03 no account&quot;</code>.</li><li><code>pending</code> with the method <code>usdc</code>: the log line <code>a transfer waits: …</code> says what is missing, mostly USDC in the treasury.</li><li><code>pending</code> otherwise: <a href="./monday-late">the Monday is late</a>.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p>No payout is older than four days.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/payouts-wait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const payoutsWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  payoutsWait as default
};
