import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0011: Limits of payloads, schemas and prices that the specification leaves open","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0011-limits-that-the-specification-leaves-open.md","filePath":"adr/catalogue/0011-limits-that-the-specification-leaves-open.md"}');
const _sfc_main = { name: "adr/catalogue/0011-limits-that-the-specification-leaves-open.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0011-limits-of-payloads-schemas-and-prices-that-the-specification-leaves-open" tabindex="-1">0011: Limits of payloads, schemas and prices that the specification leaves open <a class="header-anchor" href="#_0011-limits-of-payloads-schemas-and-prices-that-the-specification-leaves-open" aria-label="Permalink to &quot;0011: Limits of payloads, schemas and prices that the specification leaves open&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The specification shows a default of 10 MiB for <code>max_payload_bytes</code> and no maximum, and does not say what an input schema may describe. Attackers use whatever is unlimited.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>max_payload_bytes</code> is at most 10 MiB: the default is the largest payload that the service carries. An answer is at most 10 MiB too. The body of an invocation is at most 12 MiB, that of any other operation 1 MiB unless its row in the contract says otherwise.</li><li><code>input_schema</code> must accept objects, because <code>input</code> is an object: a <code>type</code> without <code>object</code> is refused.</li><li>A schema is at most 64 KiB, 32 levels and 2,000 subschemas, has no references outside itself, and uses regular expressions that run in linear time. A manifest is at most 262,144 characters of JSON.</li><li><code>credits_per_call</code> and <code>max_credits_per_call</code> 1 to 100,000; <code>free_tier_calls</code> at most 1,000,000; <code>data_retention_days</code> at most 36,500; 50 subprocessors of 200 characters; each part of a version at most 9 digits.</li><li><code>Idempotency-Key</code> as a header is 1 to 255 visible ASCII characters; as a field it is any text of that length. Both may be sent if they agree; otherwise 400 <code>invalid_header</code>.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Each limit has one place in the code, and <code>/openapi.json</code> shows the limits of single fields. Raising a limit is not a breaking change; lowering one is.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0011-limits-that-the-specification-leaves-open.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011LimitsThatTheSpecificationLeavesOpen = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0011LimitsThatTheSpecificationLeavesOpen as default
};
