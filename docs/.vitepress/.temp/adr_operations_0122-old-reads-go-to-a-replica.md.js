import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0122: Searches, reports and usage come from a replica, at most 5 s old","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0122-old-reads-go-to-a-replica.md","filePath":"adr/operations/0122-old-reads-go-to-a-replica.md"}');
const _sfc_main = { name: "adr/operations/0122-old-reads-go-to-a-replica.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0122-searches-reports-and-usage-come-from-a-replica-at-most-5-s-old" tabindex="-1">0122: Searches, reports and usage come from a replica, at most 5 s old <a class="header-anchor" href="#_0122-searches-reports-and-usage-come-from-a-replica-at-most-5-s-old" aria-label="Permalink to &quot;0122: Searches, reports and usage come from a replica, at most 5 s old&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Lists, usage and searches are about half of all statements. The primary is the part that cannot be multiplied. A pooler lets many processes share few connections, but a pooler that shares them between transactions breaks what belongs to a session.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>DATABASE_READ_URL</code> names a replica. It answers searches of listings, trust reports with their history, figures of usage, ledger lines, and payouts with their statements. Everything else stays on the primary: money, keys, sessions, single listings, findings, and every answer to a caller about what the caller has just written.</p><p>Each process notes once a second where the primary&#39;s log ends and how far the replica has replayed it. It reads from the primary while the replica fails, or lacks a position that is more than 5 s old. A statement that the replica fails is repeated on the primary, except one that took too long. While the primary is away, the replica is read as it is. The log says when reads move and why.</p><p><code>DATABASE_SESSION_URL</code> names a connection that keeps its session. Only <code>LISTEN</code> needs one: three connections for each process. Advisory locks and <code>SET LOCAL</code> belong to a transaction in this code, so a transaction pooler keeps them whole. Named statements work with PgBouncer 1.21 or newer; for older ones <code>DATABASE_PREPARED_STATEMENTS=false</code> sends statements without names.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A row that was just written shows in these lists after the replica has replayed it: milliseconds as a rule, 5 s at most. A page may come from the replica and the next one from the primary, so a row may move between two pages. The statement timeout of 4 s is a startup parameter, which PgBouncer ignores: it has to be set by <code>connect_query</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0122-old-reads-go-to-a-replica.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0122OldReadsGoToAReplica = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0122OldReadsGoToAReplica as default
};
