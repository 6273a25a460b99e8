import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0225: Each step of an A2A task is an activity","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0225-each-step-of-a-task-is-an-activity.md","filePath":"adr/calls/0225-each-step-of-a-task-is-an-activity.md"}');
const _sfc_main = { name: "adr/calls/0225-each-step-of-a-task-is-an-activity.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0225-each-step-of-an-a2a-task-is-an-activity" tabindex="-1">0225: Each step of an A2A task is an activity <a class="header-anchor" href="#_0225-each-step-of-an-a2a-task-is-an-activity" aria-label="Permalink to &quot;0225: Each step of an A2A task is an activity&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0029-an-a2a-task-is-one-activity">ADR 0029</a>: forward, validate and settle are activities of their own.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The history of a task showed its hold and one activity, <code>performTask</code>. An operator could not see whether a task waited for its agent, failed its schema, or waited for Postgres to settle.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A task shows <code>holdCredits</code>, <code>forwardCall</code>, <code>validateOutput</code> and <code>settle</code>, or <code>refund</code>, as ordinary activities with the names of a call&#39;s steps.</li><li>The answer still stays in the process that received it. The result of <code>forwardCall</code> names a queue that only this process polls, <code>tasks-&lt;process&gt;</code>, and the workflow schedules the other two there.</li><li>If no process takes them within 10 s, the worker is gone, and the course goes back to forward: another worker may call an agent that is idempotent; for others the hold refuses, and the buyer is refunded. This is what the death of a worker meant before.</li><li>An answer is settled, whatever cancels the workflow by then. A cancellation by the API refunds the hold first, and settling finds that.</li><li>A task keeps its place in its process until it has ended there (<a href="./0204-tasks-have-a-queue-and-places-of-their-own">ADR 0204</a>).</li><li>Workflows of earlier releases go on with <code>performTask</code> (<code>patched(&#39;task-steps&#39;)</code>).</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A task costs three more round trips to the engine, about 20 ms, which no caller waits for: it is polled, streamed or pushed. The queues <code>tasks-&lt;process&gt;</code> have no build id, like those of single processes in general, because a deployment has a limited number of queues.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0225-each-step-of-a-task-is-an-activity.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0225EachStepOfATaskIsAnActivity = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0225EachStepOfATaskIsAnActivity as default
};
