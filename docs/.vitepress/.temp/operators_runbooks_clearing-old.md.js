import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Credits wait in a clearing account","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/clearing-old.md","filePath":"operators/runbooks/clearing-old.md"}');
const _sfc_main = { name: "operators/runbooks/clearing-old.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="credits-wait-in-a-clearing-account" tabindex="-1">Credits wait in a clearing account <a class="header-anchor" href="#credits-wait-in-a-clearing-account" aria-label="Permalink to &quot;Credits wait in a clearing account&quot;">​</a></h1><p>Alerts: <code>ClearingIsOld</code>.</p><p><code>topup_clearing</code> is empty after each top-up, because both movements are one transaction. <code>payout_clearing</code> holds the payouts that are not settled. Old credits in one of them are on their way and belong to somebody.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ledger</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> check</span></span></code></pre></div><p>The lines that begin with <code>wait</code> name the account, the amount and its age. <code>FAIL balances</code> with the same account means that its balance is not the sum of its entries. A row was changed outside the service: go to <a href="./ledger-check-failed">a ledger check failed</a>.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li><code>payout_clearing</code>: <a href="./payouts-wait">a payout waits for the bank</a>.</li><li><code>topup_clearing</code>: a defect. Stop top-ups at the payment provider, keep a copy of the database, and find the transaction with <code>market ledger trace &lt;top_…&gt;</code>.</li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_clearing_oldest_seconds</code> is below the limits.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/clearing-old.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const clearingOld = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  clearingOld as default
};
