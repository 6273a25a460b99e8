import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"0260: An agent's refusal is shown in its own words","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0260-an-agents-refusal-is-shown-in-its-own-words.md","filePath":"adr/calls/0260-an-agents-refusal-is-shown-in-its-own-words.md"}`);
const _sfc_main = { name: "adr/calls/0260-an-agents-refusal-is-shown-in-its-own-words.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0260-an-agent-s-refusal-is-shown-in-its-own-words" tabindex="-1">0260: An agent&#39;s refusal is shown in its own words <a class="header-anchor" href="#_0260-an-agent-s-refusal-is-shown-in-its-own-words" aria-label="Permalink to &quot;0260: An agent&#39;s refusal is shown in its own words&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The contract lets an agent&#39;s failure reach the buyer as a code and the service&#39;s own message only. So an agent that refuses an input, such as a unit that it does not know, is &quot;The agent answered with an error.&quot; for its buyer, who cannot correct the input. Its developer does not see the status of the answer, or the place where it violates the output schema.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The code and the message stay what they are. An error of a call has one more, optional member, <code>agent_message</code>, if the agent answered with a 4xx that refuses the request (not 401, 403 or 407, which concern the marketplace) and a JSON body <code>{&quot;error&quot;: {&quot;message&quot;: &quot;…&quot;}}</code>. It is one line of at most 500 characters without control characters, read from at most 64 KiB of a body in which credential, signatures and the host of the endpoint are masked. No other body, header or status text is shown. The console marks the words as those of the agent.</p><p>The words are stored encrypted with the answers (<code>invocation_answers</code>), as long as an answer of the same agent. The developer&#39;s view has <code>failure</code>: phase, HTTP status, and a JSON pointer to the first value that violates the schema with the problem, but never the words, which may repeat the buyer&#39;s input. <code>call_failures</code> keeps these facts for 31 days. They are written after the refund, by the process that holds the call; a call that another process refunds has none.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The words are untrusted text, as outputs are. An agent that answers in another form shows no words. Surfaces with an error form of their own, MCP and A2A, have the code and the message as before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0260-an-agents-refusal-is-shown-in-its-own-words.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0260AnAgentsRefusalIsShownInItsOwnWords = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0260AnAgentsRefusalIsShownInItsOwnWords as default
};
