import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0022: Receipts are signed when they are first read","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0022-receipts-are-signed-when-first-read.md","filePath":"adr/calls/0022-receipts-are-signed-when-first-read.md"}');
const _sfc_main = { name: "adr/calls/0022-receipts-are-signed-when-first-read.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0022-receipts-are-signed-when-they-are-first-read" tabindex="-1">0022: Receipts are signed when they are first read <a class="header-anchor" href="#_0022-receipts-are-signed-when-they-are-first-read" aria-label="Permalink to &quot;0022: Receipts are signed when they are first read&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every finished call has evidence, a signed receipt. Few receipts are ever read, while a call has milliseconds. Everything in a receipt (terms, hashes, transactions) is fixed in rows when the call ends.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The first read signs the receipt. It is then stored as signed, in a table to which the service may only add. The displayed terms are decoded from the signature itself. The transactions are those that ended the call, so a dispute that is won later changes no receipt; it has its own record. The contract&#39;s receipt names no call, and a free call has no transactions. Therefore the protected header of the signature names the call, so that a receipt cannot be presented for another call. ES256 uses Node&#39;s own cryptography (<code>src/kit/crypto/jws.ts</code>); tests verify with an independent library. One key signs at a time and is read at each use, so that a rotation applies everywhere at once; retired keys stay published.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Reading a list of calls for the first time signs up to a hundred receipts (some 10 ms) and writes them. A table owner who changes rows before the first read changes the receipt; the digests of the ledger guard against that. A leaked key still verifies what it signed: there is no list of revoked keys yet.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0022-receipts-are-signed-when-first-read.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0022ReceiptsAreSignedWhenFirstRead = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0022ReceiptsAreSignedWhenFirstRead as default
};
