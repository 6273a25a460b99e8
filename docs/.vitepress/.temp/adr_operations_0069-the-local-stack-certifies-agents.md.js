import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0069: The local stack certifies agents on loopback addresses","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0069-the-local-stack-certifies-agents.md","filePath":"adr/operations/0069-the-local-stack-certifies-agents.md"}');
const _sfc_main = { name: "adr/operations/0069-the-local-stack-certifies-agents.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0069-the-local-stack-certifies-agents-on-loopback-addresses" tabindex="-1">0069: The local stack certifies agents on loopback addresses <a class="header-anchor" href="#_0069-the-local-stack-certifies-agents-on-loopback-addresses" aria-label="Permalink to &quot;0069: The local stack certifies agents on loopback addresses&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The service calls agents over verified TLS only. For an agent on the same machine, its developer had to find the authority of the stack in <code>.market/tls</code> of a clone, and to sign a certificate with openssl. A developer with the packed command line has no clone.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>POST /v1/developer/local-certificates</code> certifies a P-256 key of the caller for one IPv4 loopback address that the egress rules allow. The private key stays with the caller. The certificate is valid for 7 days.</li><li>The setting <code>LOCAL_AUTHORITY</code> names the folder of the authority. <code>npm start</code> sets it. Without it the operation answers 404, and a process in production does not start with it.</li><li><code>market dev</code> asks for a new certificate at each start and keeps the key in memory. It ends TLS itself and passes calls on to the agent&#39;s process by HTTP on 127.0.0.1, as a proxy does in production. So the agent needs no TLS, and each answer is compared with the schemas on its way.</li><li><code>market dev</code> stores the version as a draft first. The draft gives the agent its signing secret, and the version is submitted when the agent answers.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The contract has one more operation. An account of the local stack gets certificates for loopback addresses alone, which the service trusts for calls anyway.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0069-the-local-stack-certifies-agents.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0069TheLocalStackCertifiesAgents = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0069TheLocalStackCertifiesAgents as default
};
