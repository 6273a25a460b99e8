import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0064: Months that are over are archived into files","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0064-closed-months-are-archived.md","filePath":"adr/money/0064-closed-months-are-archived.md"}');
const _sfc_main = { name: "adr/money/0064-closed-months-are-archived.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0064-months-that-are-over-are-archived-into-files" tabindex="-1">0064: Months that are over are archived into files <a class="header-anchor" href="#_0064-months-that-are-over-are-archived-into-files" aria-label="Permalink to &quot;0064: Months that are over are archived into files&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0143-old-months-are-detached">ADR 0143</a>: old months are detached.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A month that is over is sealed and never changes. It should be provable outside of the database, and one day its partitions should be detached to free space.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>market ledger archive</code> writes the lines that the digests hash, so the archive of a month is proven by the chain of digests alone, without the rows. The database stays as it is: the service detaches nothing. Before a month may be detached, the full check has to begin with the balances at its end, as the incremental check does, and the proofs over all time (payable, payouts, keys, mandates, disputes), receipts, statements and lists need what they keep of it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Disks grow with the number of calls (<a href="./../../cost-of-history">what history costs</a>). Partitions keep the indexes that calls write small, and can be moved to a cheaper tablespace one month at a time (<code>ALTER TABLE months.entries_2026_08 SET TABLESPACE …</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0064-closed-months-are-archived.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0064ClosedMonthsAreArchived = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0064ClosedMonthsAreArchived as default
};
