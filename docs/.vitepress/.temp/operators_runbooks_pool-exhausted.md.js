import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Requests wait for a connection","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/pool-exhausted.md","filePath":"operators/runbooks/pool-exhausted.md"}');
const _sfc_main = { name: "operators/runbooks/pool-exhausted.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="requests-wait-for-a-connection" tabindex="-1">Requests wait for a connection <a class="header-anchor" href="#requests-wait-for-a-connection" aria-label="Permalink to &quot;Requests wait for a connection&quot;">​</a></h1><p>Alerts: <code>PoolExhausted</code>.</p><p>All connections of a process to Postgres are busy. Accounts take turns, so a single account cannot cause this for others. Requests that wait for three seconds get 503 <code>overloaded</code>.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">psql</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;\${</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">ADMIN_DATABASE_URL</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;">:-</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;">$DATABASE_URL</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;">}&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -c</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;SELECT pid, now() - query_start AS runs, pg_blocking_pids(pid) AS blocked_by, left(query, 80) FROM pg_stat_activity WHERE datname = current_database() AND state IS DISTINCT FROM &#39;idle&#39; ORDER BY runs DESC NULLS LAST LIMIT 10&quot;</span></span></code></pre></div><p>Set <code>ADMIN_DATABASE_URL</code> to a connection of a role with <code>pg_monitor</code>: another role sees neither the statements nor the states of other roles, such as a person&#39;s session that holds a lock.</p><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>A statement that runs for minutes comes from a command or a tool, not from the service: end it with <code>SELECT pg_cancel_backend(&lt;pid&gt;)</code>.</li><li>Many with the same <code>blocked_by</code>: end that session with <code>SELECT pg_terminate_backend(&lt;pid&gt;)</code>. Requests that waited got 503 <code>not_ready</code> after four seconds, and nothing was charged.</li><li>Many short ones: raise <code>DATABASE_POOL_SIZE</code>, or add processes (<a href="./../hardware">how much hardware</a>).</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_database_refusals_total</code> stops growing.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/pool-exhausted.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const poolExhausted = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  poolExhausted as default
};
