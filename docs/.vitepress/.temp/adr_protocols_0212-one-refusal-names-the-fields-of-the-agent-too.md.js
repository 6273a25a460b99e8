import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0212: One refusal names the fields of the agent too","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0212-one-refusal-names-the-fields-of-the-agent-too.md","filePath":"adr/protocols/0212-one-refusal-names-the-fields-of-the-agent-too.md"}');
const _sfc_main = { name: "adr/protocols/0212-one-refusal-names-the-fields-of-the-agent-too.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0212-one-refusal-names-the-fields-of-the-agent-too" tabindex="-1">0212: One refusal names the fields of the agent too <a class="header-anchor" href="#_0212-one-refusal-names-the-fields-of-the-agent-too" aria-label="Permalink to &quot;0212: One refusal names the fields of the agent too&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A 422 lists each invalid field. A call has fields in three places: around the input, in headers, and in the input, which only the agent&#39;s own schema can judge. The form of the body was checked first, so a buyer with a wrong ceiling and two wrong fields of the input repaired one and was refused again for the others.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>When the form of a call is refused and its input can be read, the input is checked against the schema of the serving version as well, with the same limit of time, and the answer lists all of them. Its code is <code>validation_failed</code>; <code>input_schema_mismatch</code> remains for a call of which only the input is wrong, and 400 <code>invalid_header</code> for one of which only one header is wrong. An agent that the caller cannot call has no problems to list, so the answer does not reveal that it exists. <code>bindPrepared</code> requires the function that finds these problems, so that a new kind of call cannot be bound without it. MCP names them in the data of its error -32602, and A2A, whose errors have no list, in its sentence.</p><p><code>test/arch/late-problems.test.ts</code> lists every source file that refuses a field behind the form of a request, with the way by which its problems come beside the others.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A malformed call costs a check of its input. Rules that compare with rows, such as the cursor of another list, stay alone: only a request of the right form can name a row.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0212-one-refusal-names-the-fields-of-the-agent-too.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0212OneRefusalNamesTheFieldsOfTheAgentToo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0212OneRefusalNamesTheFieldsOfTheAgentToo as default
};
