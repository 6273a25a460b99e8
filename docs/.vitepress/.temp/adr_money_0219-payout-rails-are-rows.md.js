import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0219: Payout rails are rows that migrate writes from one table in the code","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0219-payout-rails-are-rows.md","filePath":"adr/money/0219-payout-rails-are-rows.md"}');
const _sfc_main = { name: "adr/money/0219-payout-rails-are-rows.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0219-payout-rails-are-rows-that-migrate-writes-from-one-table-in-the-code" tabindex="-1">0219: Payout rails are rows that migrate writes from one table in the code <a class="header-anchor" href="#_0219-payout-rails-are-rows-that-migrate-writes-from-one-table-in-the-code" aria-label="Permalink to &quot;0219: Payout rails are rows that migrate writes from one table in the code&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Currency, minimum and smallest unit of each payout rail stood in <code>RAILS</code> (<code>src/domain/payouts/rails.ts</code>) and again in a CHECK and four SQL functions. A new rail touched ten places, and a test compared five of them with the text of functions.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>The table <code>payout_rails</code> has a row for each rail. <code>migrate</code> writes it from <code>RAILS</code> at each run, so a changed figure needs no migration. A rail that is taken out of <code>RAILS</code> keeps its row, because payout methods name it.</li><li><code>payout_methods.method</code> refers to the table in place of a CHECK. SQL functions read the row, and no function names a bank rail.</li><li>A payout to an address uses the one rail whose channel is <code>chain</code>. Transfers stay what they are: USDC by an authorization.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A rail for banks is four places: its entry in <code>RAILS</code>, a file writer, its entry in <code>WRITERS</code>, and its row in <code>docs/payouts.md</code>. The compiler or a test asks for each of them. The foreign key is checked after the migrations, when the rails are there.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0219-payout-rails-are-rows.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0219PayoutRailsAreRows = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0219PayoutRailsAreRows as default
};
