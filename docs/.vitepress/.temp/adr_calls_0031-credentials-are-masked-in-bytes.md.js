import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0031: Upstream credentials are masked in the bytes of answers, before parsing","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0031-credentials-are-masked-in-bytes.md","filePath":"adr/calls/0031-credentials-are-masked-in-bytes.md"}');
const _sfc_main = { name: "adr/calls/0031-credentials-are-masked-in-bytes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0031-upstream-credentials-are-masked-in-the-bytes-of-answers-before-parsing" tabindex="-1">0031: Upstream credentials are masked in the bytes of answers, before parsing <a class="header-anchor" href="#_0031-upstream-credentials-are-masked-in-the-bytes-of-answers-before-parsing" aria-label="Permalink to &quot;0031: Upstream credentials are masked in the bytes of answers, before parsing&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent that prints its request headers into an answer would reveal its upstream credential to buyers and to the service&#39;s tables.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><strong>Where.</strong> The byte stream from egress is masked, and the pieces of a streamed answer once more, because an agent that streams words may split its credential over several. Parsers, schemas, meters, stored answers, reports and buyers come later, so no reader needs its own masking, which the next reader would forget.</li><li><strong>How.</strong> Bytes are normalized: JSON escapes, percent-encoding, HTML entities and UTF-16 count as the characters that they represent. The search looks for the credential as text, in hexadecimal, and in the three forms that base64 gives it (<a href="./../../internals/bodies#masking">Masking</a> says how the search is bounded). Text that may be the beginning of the credential is held back until it is decided; other text is not.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>Masking does not stop an agent that reveals its own credential on purpose.</li><li>Only the owner is informed, by a notice, once for each version and kind. The body of an error is read for that, up to 64 KiB and half a second, and discarded.</li><li>A credential that does not decrypt (another context, no key, a key below the minimum) ends the call before anything is sent, and the buyer is refunded.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0031-credentials-are-masked-in-bytes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0031CredentialsAreMaskedInBytes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0031CredentialsAreMaskedInBytes as default
};
