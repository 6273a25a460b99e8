import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0096: Span ids are hashes of their subjects, so traces need no headers in workflows","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0096-span-ids-are-hashes-of-their-subjects.md","filePath":"adr/operations/0096-span-ids-are-hashes-of-their-subjects.md"}');
const _sfc_main = { name: "adr/operations/0096-span-ids-are-hashes-of-their-subjects.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0096-span-ids-are-hashes-of-their-subjects-so-traces-need-no-headers-in-workflows" tabindex="-1">0096: Span ids are hashes of their subjects, so traces need no headers in workflows <a class="header-anchor" href="#_0096-span-ids-are-hashes-of-their-subjects-so-traces-need-no-headers-in-workflows" aria-label="Permalink to &quot;0096: Span ids are hashes of their subjects, so traces need no headers in workflows&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A trace of a call spans the API, the engine, the steps, the agent, and other processes when one dies. The usual way carries a context in headers of Temporal, with interceptors inside the workflow bundle (<code>@temporalio/interceptors-opentelemetry</code>). These headers would be in every history, cost each call, and pull in the SDK&#39;s previous major version.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Trace ids exist already: they come from the caller&#39;s <code>traceparent</code> or are made by the API, and are in rows, in the ledger and in the inputs of workflows. The id of a span is a hash of its subject, such as the id of the call. So every process can name the parent of its span, and histories and bundles stay as they are. The agent gets the id of the step that calls it. Activities of workflows without a call share a trace whose id is a hash of the workflow id.</p><p>Spans are recorded when they end (<code>src/kit/tracing.ts</code>), and OpenTelemetry&#39;s SDK (<code>@opentelemetry/sdk-trace-base</code>, the OTLP exporter over HTTP) batches and sends them. It is loaded only when <code>OTEL_EXPORTER_OTLP_ENDPOINT</code> is set. The versions are the last that support Node 20.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A workflow has no span of its own: the call&#39;s span, and the activities with their workflow id, stand for it. Without an endpoint a step pays one comparison. The share of exported traces is decided by the trace id, so all processes agree.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0096-span-ids-are-hashes-of-their-subjects.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0096SpanIdsAreHashesOfTheirSubjects = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0096SpanIdsAreHashesOfTheirSubjects as default
};
