import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0039: Payout remainders and returns are carried over, and a bank gets one file a Monday","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0039-payout-remainders-are-carried-over.md","filePath":"adr/money/0039-payout-remainders-are-carried-over.md"}');
const _sfc_main = { name: "adr/money/0039-payout-remainders-are-carried-over.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0039-payout-remainders-and-returns-are-carried-over-and-a-bank-gets-one-file-a-monday" tabindex="-1">0039: Payout remainders and returns are carried over, and a bank gets one file a Monday <a class="header-anchor" href="#_0039-payout-remainders-and-returns-are-carried-over-and-a-bank-gets-one-file-a-monday" aria-label="Permalink to &quot;0039: Payout remainders and returns are carried over, and a bank gets one file a Monday&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A payout is rounded down to the rail&#39;s smallest unit, and a bank may return all of it. Taking the lots out of the payout again would let one lot be in two payouts, and a remainder that a later payout has taken meanwhile could not be returned. If each developer&#39;s child workflow wrote a file, a bank would get thousands of files a day.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A lot goes into one payout permanently. Remainders and returned amounts are separate rows (carries), which count as payable and go whole into the next payout. Children reserve. Once all have reserved, the run writes one file per bank and Monday from rows and the nominal time alone, and stores it encrypted with its hash. A share that is requested after its file was written waits for the next Monday.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The statement of a payout after a returned one names that payout instead of its invocations. A run that stops half-way leaves reserved payouts and no file; when it continues, it writes the same file.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0039-payout-remainders-are-carried-over.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0039PayoutRemaindersAreCarriedOver = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0039PayoutRemaindersAreCarriedOver as default
};
