import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0097: Backup and restore copy rows, without pg_dump","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0097-backup-and-restore-copy-rows-without-pg-dump.md","filePath":"adr/operations/0097-backup-and-restore-copy-rows-without-pg-dump.md"}');
const _sfc_main = { name: "adr/operations/0097-backup-and-restore-copy-rows-without-pg-dump.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0097-backup-and-restore-copy-rows-without-pg-dump" tabindex="-1">0097: Backup and restore copy rows, without pg_dump <a class="header-anchor" href="#_0097-backup-and-restore-copy-rows-without-pg-dump" aria-label="Permalink to &quot;0097: Backup and restore copy rows, without pg_dump&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Backup and restore had to be two commands that work on any machine with the service. <code>pg_dump</code> has to be at least as new as the server, is not in the image of the service, and is not among the binaries of the local stack.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>market backup</code> reads each table with <code>COPY</code> in one snapshot (<code>pg-copy-streams</code>), and <code>market restore</code> makes the tables with the release&#39;s own migrations before it reads the rows. Triggers are disabled and foreign keys dropped within the transaction of the restore; adding the keys again checks every row, and the full ledger check follows. The header names the migrations, so a file fits one release only.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Roles, settings of the server and extensions are not in the file. A restore takes a lock on every table and a transaction as large as the database, which an empty database does not mind. Continuous archiving stays the tool against loss of commits; this file is the portable copy.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0097-backup-and-restore-copy-rows-without-pg-dump.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0097BackupAndRestoreCopyRowsWithoutPgDump = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0097BackupAndRestoreCopyRowsWithoutPgDump as default
};
