import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0298: An agent may limit its calls in flight, exactly","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0298-an-agent-may-limit-its-calls-in-flight.md","filePath":"adr/catalogue/0298-an-agent-may-limit-its-calls-in-flight.md"}');
const _sfc_main = { name: "adr/catalogue/0298-an-agent-may-limit-its-calls-in-flight.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0298-an-agent-may-limit-its-calls-in-flight-exactly" tabindex="-1">0298: An agent may limit its calls in flight, exactly <a class="header-anchor" href="#_0298-an-agent-may-limit-its-calls-in-flight-exactly" aria-label="Permalink to &quot;0298: An agent may limit its calls in flight, exactly&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent with one GPU, or behind a quota of its own, fails calls beyond what it takes at once. The contract gives <code>max_concurrency</code>.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>max_concurrency</code> (1 to 1,000) stands at the top of a manifest and of a registration. It counts the calls of all buyers and surfaces to the agent that are pending or running, by the count that bounds every agent. The next call is 429 <code>concurrency_limited</code> with <code>Retry-After</code>, and nothing is held; in MCP, where a refused call is a result of the tool, it is that result with the header.</li><li>The limit is exact over all processes. Two buyers have different locks, so for an agent with a limit the count is repeated under an advisory lock of the agent, taken after the buyer&#39;s wallet, and only while the first count is below the limit. A batch takes these locks in the order of the agents&#39; ids. Agents without a limit take no lock and cost nothing.</li><li>A change of a registration&#39;s limit serves at once.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Calls to a limited agent are accepted one after the other, which bounds it to some hundreds of acceptances a second; it has at most 1,000 calls in flight. Probes of verification are not counted.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0298-an-agent-may-limit-its-calls-in-flight.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0298AnAgentMayLimitItsCallsInFlight = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0298AnAgentMayLimitItsCallsInFlight as default
};
