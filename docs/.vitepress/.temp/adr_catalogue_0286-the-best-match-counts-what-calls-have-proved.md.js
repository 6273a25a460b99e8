import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0286: The best match counts what the calls of an agent have proved","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0286-the-best-match-counts-what-calls-have-proved.md","filePath":"adr/catalogue/0286-the-best-match-counts-what-calls-have-proved.md"}');
const _sfc_main = { name: "adr/catalogue/0286-the-best-match-counts-what-calls-have-proved.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0286-the-best-match-counts-what-the-calls-of-an-agent-have-proved" tabindex="-1">0286: The best match counts what the calls of an agent have proved <a class="header-anchor" href="#_0286-the-best-match-counts-what-the-calls-of-an-agent-have-proved" aria-label="Permalink to &quot;0286: The best match counts what the calls of an agent have proved&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The contract names the order <code>relevance</code> and does not define it. It was the rank of the texts, and without words the trust score. So an agent of 88 points whose calls succeed in 20% of all cases (5 calls) stood above one of 53 points with 91.5% of 1,002 calls.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The key of <code>relevance</code> is the rank of the texts, weighted by the trust score (from one half to one), times the square of <code>success_bound</code>. Without words it is the trust score times that square. <code>success_bound</code> is the lower end of a confidence interval of one standard error (Wilson) over the paid calls of 30 days and five further ones of which 90% succeeded. An agent without calls gets 0.69, five calls of which one succeeded 0.40, and 91.5% of 1,002 calls 0.91. The square lets failures outweigh a high score, and keeps a new agent above a failing one.</p><p>The share itself is that of the listing: each buyer of a day has the same weight, so that one buyer can neither lift nor sink an agent. <code>trust_score</code> remains an order of its own.</p><p>The console shows a share of successes from ten paid calls on; below, how many there are so far.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Keys of <code>relevance</code> change with the figures of agents, like those of <code>popular</code>: an agent can move between the pages of a reader.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0286-the-best-match-counts-what-calls-have-proved.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0286TheBestMatchCountsWhatCallsHaveProved = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0286TheBestMatchCountsWhatCallsHaveProved as default
};
