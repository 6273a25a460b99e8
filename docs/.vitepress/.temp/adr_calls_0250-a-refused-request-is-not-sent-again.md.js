import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0250: A request that an agent refuses is not sent again","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0250-a-refused-request-is-not-sent-again.md","filePath":"adr/calls/0250-a-refused-request-is-not-sent-again.md"}');
const _sfc_main = { name: "adr/calls/0250-a-refused-request-is-not-sent-again.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0250-a-request-that-an-agent-refuses-is-not-sent-again" tabindex="-1">0250: A request that an agent refuses is not sent again <a class="header-anchor" href="#_0250-a-request-that-an-agent-refuses-is-not-sent-again" aria-label="Permalink to &quot;0250: A request that an agent refuses is not sent again&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0019-idempotent-agents-are-called-up-to-three-times">ADR 0019</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A call of an agent that declares <code>idempotent: true</code> was sent up to three times after every <code>agent_error</code>, also after a 422. An agent gives the same refusal to the same request, so a buyer waited half a second longer for it, and the agent worked three times. A verification run sends some 40 inputs that a strict agent refuses, so such an agent worked three times for each of them.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An answer 4xx ends the attempts, except 408, 409, 425 and 429, which refuse the moment and not the request: too late, the same key in progress, too early, too many (<code>src/services/calls/agent/agent-steps.ts</code>). Server errors, broken connections and answers that cannot be read are repeated as before. The rule is the same for buyers&#39; calls and for probes, which take the same path.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent that refuses by mistake, such as with a 404 during a deployment, is not called again in the same call. The call is free, and the buyer may repeat it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0250-a-refused-request-is-not-sent-again.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0250ARefusedRequestIsNotSentAgain = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0250ARefusedRequestIsNotSentAgain as default
};
