import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0194: A used refresh token works for 30 seconds more","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0194-used-refresh-tokens-work-for-30-seconds-more.md","filePath":"adr/accounts/0194-used-refresh-tokens-work-for-30-seconds-more.md"}');
const _sfc_main = { name: "adr/accounts/0194-used-refresh-tokens-work-for-30-seconds-more.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0194-a-used-refresh-token-works-for-30-seconds-more" tabindex="-1">0194: A used refresh token works for 30 seconds more <a class="header-anchor" href="#_0194-a-used-refresh-token-works-for-30-seconds-more" aria-label="Permalink to &quot;0194: A used refresh token works for 30 seconds more&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0083-an-oauth-grant-owns-an-api-key-row">ADR 0083</a>: a used refresh token works for 30 s more.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A second use of a refresh token ended its grant (<a href="./0083-an-oauth-grant-owns-an-api-key-row">ADR 0083</a>). Clients refresh in two processes at once, and answers get lost, so honest people were logged out. A refresh that was refused, for example for the scope <code>offline_access</code>, also used its token up. RFC 9700, section 4.14.2, asks for the detection of reuse and leaves its form open.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>For 30 s after its first use, a refresh token gets a new access token each time, and always the same successor, or the newest one behind it. So a grant keeps one chain of refresh tokens, and a thief and the owner who both continue it still meet: the later of them ends the grant.</li><li>The successor is the HMAC of the token with a random key that is stored at the first use. Neither the database nor an old token alone reveals it.</li><li>A token is used up in the transaction that stores its successor. A request that is refused before that uses up nothing.</li><li>A use after the grace ends the grant, as before. Authorization codes have no grace.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A thief who uses a stolen refresh token within 30 s of its owner gets tokens that work until the next refresh by one of them.</p><p>Rejected: several successors, each valid, because two chains never meet and a theft would stay unnoticed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0194-used-refresh-tokens-work-for-30-seconds-more.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0194UsedRefreshTokensWorkFor30SecondsMore = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0194UsedRefreshTokensWorkFor30SecondsMore as default
};
