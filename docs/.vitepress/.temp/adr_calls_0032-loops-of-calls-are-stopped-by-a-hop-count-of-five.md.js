import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0032: Loops of calls are stopped by a hop count of five","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0032-loops-of-calls-are-stopped-by-a-hop-count-of-five.md","filePath":"adr/calls/0032-loops-of-calls-are-stopped-by-a-hop-count-of-five.md"}');
const _sfc_main = { name: "adr/calls/0032-loops-of-calls-are-stopped-by-a-hop-count-of-five.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0032-loops-of-calls-are-stopped-by-a-hop-count-of-five" tabindex="-1">0032: Loops of calls are stopped by a hop count of five <a class="header-anchor" href="#_0032-loops-of-calls-are-stopped-by-a-hop-count-of-five" aria-label="Permalink to &quot;0032: Loops of calls are stopped by a hop count of five&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent may call this service while it answers, and an endpoint may lead back to the service by an unknown name. Refusing the service&#39;s own host catches only the simple mistake. Resolving the public name and refusing its addresses would refuse other agents behind a shared front.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>PUBLIC_ORIGIN</code>, this machine&#39;s addresses and the entries of <code>EGRESS_OWN</code> are refused. In addition, every outgoing request has the number of nested calls in <code>X-Marketplace-Hops</code>; an incoming request without the header begins at 0. The sixth nested call is refused with <code>a2a_depth_exceeded</code>, as is any request with a number above 5, before anything is written. A value that is not one plain number is <code>invalid_header</code>. The count is stored with the call, not in the engine. <code>EGRESS_ALLOW</code> is reported in a warning at boot, not in <code>/readiness</code>, which is public and has a fixed form.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent that drops the header begins a new chain. Money and time end that chain: the agent&#39;s own wallet pays each of its calls, and each lies within the <code>timeout_ms</code> of the call around it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0032-loops-of-calls-are-stopped-by-a-hop-count-of-five.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0032LoopsOfCallsAreStoppedByAHopCountOfFive = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0032LoopsOfCallsAreStoppedByAHopCountOfFive as default
};
