import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0200: An upstream credential is sent only to the origin that it was given for","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0200-a-credential-stays-with-its-origin.md","filePath":"adr/catalogue/0200-a-credential-stays-with-its-origin.md"}');
const _sfc_main = { name: "adr/catalogue/0200-a-credential-stays-with-its-origin.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0200-an-upstream-credential-is-sent-only-to-the-origin-that-it-was-given-for" tabindex="-1">0200: An upstream credential is sent only to the origin that it was given for <a class="header-anchor" href="#_0200-an-upstream-credential-is-sent-only-to-the-origin-that-it-was-given-for" aria-label="Permalink to &quot;0200: An upstream credential is sent only to the origin that it was given for&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0024-a-registration-is-a-version-without-schemas">ADR 0024</a>: a credential is not sent to another origin.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent had one upstream credential. A change that moved the endpoint to another host had to give it again, but the new one was stored at once: until the new version was live, calls and probes sent the new secret to the old host.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A credential is stored for an agent and the origin of an endpoint (<code>upstream_credentials.origin</code>), and is sent to that origin only. A version at another origin brings its own or has none; the serving version keeps what was given for its own. A change deletes the credentials of origins that neither the new nor the serving version uses, so nothing lies ready for a host that the agent left. <code>upstream_auth_set</code> is about the newest version. A path of the same origin is the same place: the server of the origin sees the header anyway.</p><p>Secrets of signatures (<code>signing_secret</code> of agents, <code>whsec_</code> of webhooks) stay with the agent or the webhook when its URL changes: they are never sent, signatures contain the body and the time, and receivers would have to learn another secret at the moment of the move. Tokens and credentials of a push configuration are replaced with its URL, because a configuration is written as a whole.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Each existing credential becomes that of the newest version&#39;s origin. An agent whose move is being verified while this migration runs calls its old host without a credential until then.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0200-a-credential-stays-with-its-origin.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0200ACredentialStaysWithItsOrigin = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0200ACredentialStaysWithItsOrigin as default
};
