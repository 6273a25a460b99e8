import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0218: Migrations are append-only from this record on","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0218-migrations-are-append-only.md","filePath":"adr/operations/0218-migrations-are-append-only.md"}');
const _sfc_main = { name: "adr/operations/0218-migrations-are-append-only.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0218-migrations-are-append-only-from-this-record-on" tabindex="-1">0218: Migrations are append-only from this record on <a class="header-anchor" href="#_0218-migrations-are-append-only-from-this-record-on" aria-label="Permalink to &quot;0218: Migrations are append-only from this record on&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes <a href="./../verification/0086-rubric-2026-1-is-edited-until-the-first-release">ADR 0086</a>: the rubric 2026.1 is fixed as well.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The tables had 43 migrations in JavaScript, of which 27 changed what the first 16 had made. A reader had to play them through to know what the columns of <code>holds</code> are. Three texts named three different days from which migrations are append-only.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>This record is that day, and the only condition. A change of a table is a new file, up and down. The files of the baseline do not change; <code>test/arch/migrations.test.ts</code> has the digest of their statements.</li><li>Before, all migrations were folded into the baseline one last time, and became plain SQL by subject, which knex runs. The catalogues of a database of before and of one of the baseline were compared: tables, constraints, indexes, triggers, rights and rows are the same. The order of columns differs, some names of indexes and comments of partitions differ, and an index of the archive that nothing used is gone.</li><li>A database that ran every folded migration keeps its rows: <code>migrate</code> records that it has run the baseline (<code>src/runtime/postgres/folded-migrations.ts</code>). An older one is refused and left as it is, as before.</li><li><code>migrations/schema.sql</code> shows the tables as they are. <code>npm run schema</code> writes it from a fresh database, and a test compares it with one.</li><li>Every later change of the rubric 2026.1 is a new rubric that is announced, as ADR 0086 said for this day.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The order of the columns of a table depends on the age of the database, so no statement may depend on it. A backup of before fits the release that made it, as every backup does.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0218-migrations-are-append-only.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0218MigrationsAreAppendOnly = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0218MigrationsAreAppendOnly as default
};
