import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Holds are overdue","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/holds-overdue.md","filePath":"operators/runbooks/holds-overdue.md"}');
const _sfc_main = { name: "operators/runbooks/holds-overdue.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="holds-are-overdue" tabindex="-1">Holds are overdue <a class="header-anchor" href="#holds-are-overdue" aria-label="Permalink to &quot;Holds are overdue&quot;">​</a></h1><p>Alerts: <code>HoldsOverdue</code>.</p><p>A call holds its price in escrow until it ends. A process renews the lease of its calls; the lease sweep refunds calls whose lease has expired. Holds that are overdue for two minutes mean that no worker sweeps.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">curl</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -s</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$MARKET_API_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">/readiness&quot;</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">psql</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$DATABASE_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -c</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;SELECT invocation_id, lease_until FROM holds WHERE state = &#39;open&#39; ORDER BY lease_until LIMIT 5&quot;</span></span></code></pre></div><p><code>failing_loops</code> names <code>lease sweep</code> if its turns fail.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>Start a worker, or read its log: <code>loop turn failed</code> has the reason.</li><li>One call that stays while others are swept, and no loop that fails: a session holds a lock on its row. The sweep skips locked rows. Find the session (<a href="./pool-exhausted#look">the pool is exhausted</a>) and end it; the next turn refunds the call.</li><li>Otherwise <code>market ledger trace &lt;inv_…&gt;</code> says what the call did, and cancelling its workflow in Temporal&#39;s UI refunds it.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_holds_overdue</code> is 0.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/holds-overdue.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const holdsOverdue = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  holdsOverdue as default
};
