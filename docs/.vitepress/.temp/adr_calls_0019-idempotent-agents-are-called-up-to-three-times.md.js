import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0019: Idempotent agents are called up to three times, and tokens are exact where they set the price","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0019-idempotent-agents-are-called-up-to-three-times.md","filePath":"adr/calls/0019-idempotent-agents-are-called-up-to-three-times.md"}');
const _sfc_main = { name: "adr/calls/0019-idempotent-agents-are-called-up-to-three-times.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0019-idempotent-agents-are-called-up-to-three-times-and-tokens-are-exact-where-they-set-the-price" tabindex="-1">0019: Idempotent agents are called up to three times, and tokens are exact where they set the price <a class="header-anchor" href="#_0019-idempotent-agents-are-called-up-to-three-times-and-tokens-are-exact-where-they-set-the-price" aria-label="Permalink to &quot;0019: Idempotent agents are called up to three times, and tokens are exact where they set the price&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0250-a-refused-request-is-not-sent-again">ADR 0250</a>: a 4xx is not repeated.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification lets the service repeat failed calls of agents that declare <code>idempotent: true</code>, without saying when. Usage shows tokens for every call, and counting 20 MiB of text takes longer than most agents.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A call of such an agent that failed with <code>agent_error</code> or <code>agent_unreachable</code> is sent again, at most three times in all, within the agent&#39;s own <code>timeout_ms</code> and under the same <code>Idempotency-Key</code>; never after a piece of an answer was delivered (<code>src/services/calls/agent/agent-steps.ts</code>). The duration is that of the last attempt. Tokens are counted exactly if the price depends on them (<code>per_token</code>), and for texts of up to 256 KiB. For longer texts this much is counted and the rest is estimated in proportion (<code>src/services/calls/agent/metering.ts</code>).</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent that declares itself idempotent and is not may do its work up to three times for one charge. <code>tokens_in</code> and <code>tokens_out</code> of long texts are estimates unless the price depends on them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0019-idempotent-agents-are-called-up-to-three-times.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0019IdempotentAgentsAreCalledUpToThreeTimes = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0019IdempotentAgentsAreCalledUpToThreeTimes as default
};
