import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"The payouts of a Monday are late","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/monday-late.md","filePath":"operators/runbooks/monday-late.md"}');
const _sfc_main = { name: "operators/runbooks/monday-late.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="the-payouts-of-a-monday-are-late" tabindex="-1">The payouts of a Monday are late <a class="header-anchor" href="#the-payouts-of-a-monday-are-late" aria-label="Permalink to &quot;The payouts of a Monday are late&quot;">​</a></h1><p>Alerts: <code>MondayLate</code>.</p><p>The payouts of a Monday begin at 00:00 UTC. Two hours later they are not through, or did not begin. No credit is lost: each payout is reserved once, whatever runs again.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> payouts</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --all</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --status</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> reserving</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">market</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> payouts</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> list</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --all</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --status</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> pending</span></span></code></pre></div><p>In Temporal&#39;s UI, the view <code>WorkflowType = &quot;weeklyPayouts&quot;</code> shows the run, and its current details what it waits for.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>No run: check that Temporal answers (<a href="./engine-down">Temporal</a>), that a worker runs (<a href="./process-down">a process is down</a>) and that the Schedule <code>weekly-payouts</code> is not paused. The payout sweep begins a missed Monday after 15 minutes, and each earlier Monday that was missed.</li><li>A run that retries an activity: the pending activity shows the reason. A wrong bank account or a missing exchange rate concerns one developer, whose share rolls over; correct it and use <code>market payouts retry</code>.</li><li>A run that was terminated or failed: the payout sweep starts it again within a minute.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_monday_late_seconds</code> is 0. Then run <code>market ledger check</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/monday-late.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const mondayLate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  mondayLate as default
};
