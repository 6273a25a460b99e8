import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The ledger was not checked","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/ledger-not-checked.md","filePath":"operators/runbooks/ledger-not-checked.md"}');
const _sfc_main = { name: "operators/runbooks/ledger-not-checked.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-ledger-was-not-checked" tabindex="-1">The ledger was not checked <a class="header-anchor" href="#the-ledger-was-not-checked" aria-label="Permalink to &quot;The ledger was not checked&quot;">​</a></h1><p>Alerts: <code>LedgerNotChecked</code>.</p><p><code>market ledger check</code> did not run for 26 hours, or never ran.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ledger</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> check</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><p>Run the check every day, from cron or as the CronJob of <a href="./../kubernetes">ops/kubernetes</a>. Exit code 1 raises the alert <a href="./ledger-check-failed">a ledger check failed</a>; exit code 2 means that the check could not run, and the message says why.</p><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_ledger_check_age_seconds</code> is below a day.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/ledger-not-checked.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ledgerNotChecked = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ledgerNotChecked as default
};
