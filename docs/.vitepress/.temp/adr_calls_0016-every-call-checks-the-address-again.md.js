import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0016: Every call checks the address of the agent again, on a connection of its own","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0016-every-call-checks-the-address-again.md","filePath":"adr/calls/0016-every-call-checks-the-address-again.md"}');
const _sfc_main = { name: "adr/calls/0016-every-call-checks-the-address-again.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0016-every-call-checks-the-address-of-the-agent-again-on-a-connection-of-its-own" tabindex="-1">0016: Every call checks the address of the agent again, on a connection of its own <a class="header-anchor" href="#_0016-every-call-checks-the-address-of-the-agent-again-on-a-connection-of-its-own" aria-label="Permalink to &quot;0016: Every call checks the address of the agent again, on a connection of its own&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An address that was public at registration can point to an internal host later, even between lookup and connect. undici&#39;s pool reconnects as soon as a request on it is aborted, so every timed-out call cost the agent another handshake and left a socket. An idle timer does not end an answer that trickles.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each call resolves the name with an own resolver (not the hosts file), checks every address, and connects to a checked one; one forbidden address refuses the call. Connections are kept by host, port and that address, so reuse is reuse of a checked address. A connection carries one call at a time and is closed when the call fails. One deadline covers lookup to last byte. Redirects, content encodings and more than 100 headers are failures. No code outside <code>src/egress</code> may make outgoing calls; lint and the import table prove it.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A few hundred lines have to be maintained. HTTP/2 is not used. Fixtures on loopback need <code>EGRESS_ALLOW</code> and a CA (<code>EGRESS_EXTRA_CA_FILE</code>); certificate checks are never disabled.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0016-every-call-checks-the-address-again.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0016EveryCallChecksTheAddressAgain = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0016EveryCallChecksTheAddressAgain as default
};
