import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0002: Every call is one workflow, and its steps are local activities","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0002-one-workflow-for-each-call.md","filePath":"adr/calls/0002-one-workflow-for-each-call.md"}');
const _sfc_main = { name: "adr/calls/0002-one-workflow-for-each-call.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0002-every-call-is-one-workflow-and-its-steps-are-local-activities" tabindex="-1">0002: Every call is one workflow, and its steps are local activities <a class="header-anchor" href="#_0002-every-call-is-one-workflow-and-its-steps-are-local-activities" aria-label="Permalink to &quot;0002: Every call is one workflow, and its steps are local activities&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0065-calls-are-enrolled-beside-their-steps">ADR 0065</a>: the order of that record is <code>ENROLMENT=confirmed</code> now; by default the steps begin before their workflow.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every call is a durable workflow, so that it ends whichever process fails. Measured on two cores, four ordinary activities with an ordinary start cost 55 ms of CPU and about 50 ms of latency for each call, mostly in the engine. A body may have 10 MiB, Temporal&#39;s limit for a payload is 2 MiB, and histories are readable.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each call is one workflow <code>invocation/&lt;id&gt;</code>. Its steps (hold, forward, validate, settle or refund) are local activities. The start requests the first workflow task in the same round trip (eager start), so a successful call is one round trip to start and one to complete. Bodies and sockets stay in the accepting process, the owner; Temporal receives ids, codes, durations and hashes. The API answers once the money has moved, from the registry of its process, and never waits for the workflow&#39;s result. If the task runs in another process, the steps run as ordinary activities on a queue that only the owner polls. If no process takes them within 3 s, the owner is considered dead, and the buyer is refunded.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A call costs about 21 ms of CPU and 17 ms of latency (<code>npm run bench</code> measures it). A call ends with its owner: the buyer is refunded and repeats the key. A waiting local activity occupies a workflow-task slot, so there are as many slots as calls in flight (<code>MAX_IN_FLIGHT</code>). <code>EAGER_START=false</code> disables the eager start; a test covers it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0002-one-workflow-for-each-call.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0002OneWorkflowForEachCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0002OneWorkflowForEachCall as default
};
