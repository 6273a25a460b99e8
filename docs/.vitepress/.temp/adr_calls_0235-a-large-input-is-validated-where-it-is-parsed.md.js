import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0235: A large input is validated where it is parsed","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0235-a-large-input-is-validated-where-it-is-parsed.md","filePath":"adr/calls/0235-a-large-input-is-validated-where-it-is-parsed.md"}');
const _sfc_main = { name: "adr/calls/0235-a-large-input-is-validated-where-it-is-parsed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0235-a-large-input-is-validated-where-it-is-parsed" tabindex="-1">0235: A large input is validated where it is parsed <a class="header-anchor" href="#_0235-a-large-input-is-validated-where-it-is-parsed" aria-label="Permalink to &quot;0235: A large input is validated where it is parsed&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extends <a href="./0070-a-large-body-costs-its-sender">ADR 0070</a>: what the thread that reads a large body does.</li><li>Extended by <a href="./0254-a-large-answer-is-validated-and-counted-where-it-is-read">ADR 0254</a>: the same for answers.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An input of 10 MiB was parsed in a thread for bodies, copied to a thread for schemas, and parsed there again. Each hop costs a copy on the event loop, a wait for a turn, and memory for another parsed value of up to 300 MB.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>The gate, which decides about a large body from its path and length, also says which schema the input has to match. The thread that parses the body validates the input in it. The verdict goes with the input, under the key of the schema.</li><li>Admission decides as before, in the same order: it uses the verdict if it is about the schema of the version that serves by then, and asks the threads for schemas otherwise.</li><li>The schema is untrusted: its compilation and its validation have their limits in this thread, too. If it exceeds them, the thread is replaced, the body is read again without the schema, and the schema is left to the thread for slow schemas for a minute.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The developer of a slow schema delays the reading of other large bodies by its limit, once a minute. Operations that name their agent in the body (<code>POST /v1/chat</code>) and small bodies are validated as before.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0235-a-large-input-is-validated-where-it-is-parsed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0235ALargeInputIsValidatedWhereItIsParsed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0235ALargeInputIsValidatedWhereItIsParsed as default
};
