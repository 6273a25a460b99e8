import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0006: Tables that every call writes have no foreign keys","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0006-hot-tables-have-no-foreign-keys.md","filePath":"adr/operations/0006-hot-tables-have-no-foreign-keys.md"}');
const _sfc_main = { name: "adr/operations/0006-hot-tables-have-no-foreign-keys.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0006-tables-that-every-call-writes-have-no-foreign-keys" tabindex="-1">0006: Tables that every call writes have no foreign keys <a class="header-anchor" href="#_0006-tables-that-every-call-writes-have-no-foreign-keys" aria-label="Permalink to &quot;0006: Tables that every call writes have no foreign keys&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A foreign key takes a share lock on the referenced row for every insert. For a popular agent or developer, every call would lock the same row, write to its page, and block updates of it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>invocations</code>, <code>holds</code>, <code>entries</code>, <code>earnings</code> and <code>pending_rollups</code> have no foreign keys to users, agents, versions or accounts. The functions that insert read those rows in the same call, and none of them is ever deleted. Tables that a call does not write have foreign keys as usual.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The database alone does not prevent an entry without an account. The only function that inserts entries prevents it, and <code>npm run ledger:check</code> proves it (<code>entries</code>, <code>calls</code>, <code>lots</code>). A later table that every call writes follows this record.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0006-hot-tables-have-no-foreign-keys.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006HotTablesHaveNoForeignKeys = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006HotTablesHaveNoForeignKeys as default
};
