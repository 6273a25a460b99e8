import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0311: Agents that take jobs have a second tool, which fetches results","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0311-agents-of-jobs-have-a-tool-that-fetches-results.md","filePath":"adr/protocols/0311-agents-of-jobs-have-a-tool-that-fetches-results.md"}');
const _sfc_main = { name: "adr/protocols/0311-agents-of-jobs-have-a-tool-that-fetches-results.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0311-agents-that-take-jobs-have-a-second-tool-which-fetches-results" tabindex="-1">0311: Agents that take jobs have a second tool, which fetches results <a class="header-anchor" href="#_0311-agents-that-take-jobs-have-a-second-tool-which-fetches-results" aria-label="Permalink to &quot;0311: Agents that take jobs have a second tool, which fetches results&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An answer in words (ADR 0310) names how to fetch the result of a job. A model in a chat client can do nothing but call tools. Agents with a manifest have one tool, <code>invoke</code>, and its output schema allows no answer in words: clients refuse a result without <code>structuredContent</code> of that schema, unless it is an error.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>An agent that takes jobs, and is no MCP server, has a second tool <code>get_result</code>, which takes <code>{invocation_id}</code>. It waits as long as <code>invoke</code> waits for a job, and answers as that does. It costs nothing, and it is marked as read-only.</li><li>The tool <code>invoke</code> of such an agent declares no output schema. Its results have <code>structuredContent</code> as before.</li><li>The tools of an MCP server pass unchanged. Where such a tool declares its output, the answer in words is marked as an error, because clients would refuse it otherwise; its text says that nothing has failed.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Clients that generate code from output schemas find that of an agent of jobs in its listing, and not in <code>tools/list</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0311-agents-of-jobs-have-a-tool-that-fetches-results.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0311AgentsOfJobsHaveAToolThatFetchesResults = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0311AgentsOfJobsHaveAToolThatFetchesResults as default
};
