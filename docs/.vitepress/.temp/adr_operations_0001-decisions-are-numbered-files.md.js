import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0001: Decisions are recorded in numbered files, half a page each","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0001-decisions-are-numbered-files.md","filePath":"adr/operations/0001-decisions-are-numbered-files.md"}');
const _sfc_main = { name: "adr/operations/0001-decisions-are-numbered-files.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0001-decisions-are-recorded-in-numbered-files-half-a-page-each" tabindex="-1">0001: Decisions are recorded in numbered files, half a page each <a class="header-anchor" href="#_0001-decisions-are-recorded-in-numbered-files-half-a-page-each" aria-label="Permalink to &quot;0001: Decisions are recorded in numbered files, half a page each&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification says what the service does and marks much as &quot;not shown&quot;. The public contract decides some of that, and the code decides the rest. Without a record, a reader cannot tell a decision from an accident.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A decision gets a numbered record here if it deviates from the specification or the contract, decides what they leave open, or is costly to change. A record has context, decision and consequences on half a page. A record that no longer holds keeps its content and is marked &quot;Superseded by&quot;, with the number of the new one.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Comments in the code can be short and cite the record. A change that contradicts a record needs a new record in the same commit.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0001-decisions-are-numbered-files.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001DecisionsAreNumberedFiles = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0001DecisionsAreNumberedFiles as default
};
