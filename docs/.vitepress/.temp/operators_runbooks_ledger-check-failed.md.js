import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"A ledger check failed","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/ledger-check-failed.md","filePath":"operators/runbooks/ledger-check-failed.md"}');
const _sfc_main = { name: "operators/runbooks/ledger-check-failed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="a-ledger-check-failed" tabindex="-1">A ledger check failed <a class="header-anchor" href="#a-ledger-check-failed" aria-label="Permalink to &quot;A ledger check failed&quot;">​</a></h1><p>Alerts: <code>LedgerCheckFailed</code>.</p><p><code>market ledger check</code> found a proof that does not hold. A person with access to Postgres may have changed rows, or the service has a defect. This is the most serious alert.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ledger</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> check</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --full</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --json</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;"> &gt;</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ledger-check.json</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> ledger</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> digests</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --limit</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> 7</span></span></code></pre></div><p>Each finding names an account, a transaction, a call or a payout. <code>market ledger trace &lt;id&gt;</code> shows every movement of it. If <code>open holds</code> alone fails, no row was changed: go to <a href="./holds-overdue">holds are overdue</a>.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>Pause the Schedule <code>weekly-payouts</code> in Temporal, so that no money leaves.</li><li>Keep the report, and take a <a href="./../backup">backup</a> at once.</li><li>Compare the digests with the copy that you keep outside the database: a digest that differs dates the change.</li><li>Find the transaction by its reference and trace id, and the log lines with this trace id.</li><li>Never repair by editing rows (<a href="./../../ledger#checking">ledger</a>). A correction is a new transaction of a release that mends the defect.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market ledger check --full</code> ends with exit code 0. Then continue the Schedule.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/ledger-check-failed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ledgerCheckFailed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ledgerCheckFailed as default
};
