import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0058: A slash refunds at most the charges of its calls","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0058-a-slash-refunds-at-most-the-charges-of-its-calls.md","filePath":"adr/money/0058-a-slash-refunds-at-most-the-charges-of-its-calls.md"}');
const _sfc_main = { name: "adr/money/0058-a-slash-refunds-at-most-the-charges-of-its-calls.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0058-a-slash-refunds-at-most-the-charges-of-its-calls" tabindex="-1">0058: A slash refunds at most the charges of its calls <a class="header-anchor" href="#_0058-a-slash-refunds-at-most-the-charges-of-its-calls" aria-label="Permalink to &quot;0058: A slash refunds at most the charges of its calls&quot;">​</a></h1><p>Status: superseded.</p><ul><li>Superseded by <a href="./0190-a-slash-takes-what-it-refunds-or-is-a-penalty">ADR 0190</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The contract gave the whole amount of a slash to the buyers of its calls, in proportion to their charges. So a buyer of one call over 5 credits got 4,000, and a buyer who knew of a slash gained by being in it. When every call had been refunded before the slash ended, the buyers were paid a second time.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>When a slash ends, a call gets at most what it cost and what was not refunded yet, by disputes or by other slashes. What is left of the amount goes back to the bond in the same transaction, with the reference <code>slash/&lt;id&gt;/return</code>. This overrules the contract.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The amount of a slash is the most that it can take; what it costs the developer is the sum of the refunds. <code>ledger:check</code> proves that slashes never refund more than a call was charged, and that the rest is back in the bond.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0058-a-slash-refunds-at-most-the-charges-of-its-calls.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0058ASlashRefundsAtMostTheChargesOfItsCalls = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0058ASlashRefundsAtMostTheChargesOfItsCalls as default
};
