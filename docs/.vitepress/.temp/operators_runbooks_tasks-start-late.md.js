import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Tasks of Temporal start late","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/tasks-start-late.md","filePath":"operators/runbooks/tasks-start-late.md"}');
const _sfc_main = { name: "operators/runbooks/tasks-start-late.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="tasks-of-temporal-start-late" tabindex="-1">Tasks of Temporal start late <a class="header-anchor" href="#tasks-of-temporal-start-late" aria-label="Permalink to &quot;Tasks of Temporal start late&quot;">​</a></h1><p>Alerts: <code>TasksStartLate</code>.</p><p>Tasks wait in a queue of Temporal until a worker takes them: the workers are busy, or too few. The label <code>task_queue</code> names the queue: <code>operations</code> and <code>tasks</code> are polled by workers, <code>invocations</code> by both, <code>probes</code> and <code>invocations-…</code> by API processes.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>sum by (task_queue, worker_type) (temporal_worker_task_slots_available)</span></span>
<span class="line"><span>histogram_quantile(0.95, sum by (le, task_queue) (rate(temporal_activity_schedule_to_start_latency_seconds_bucket[5m])))</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ul><li><p>No free slots: add processes of the kind that polls the queue, or raise <code>MAX_IN_FLIGHT</code>.</p></li><li><p>Free slots, and a high latency of <code>temporal_request_latency_seconds</code>: the Temporal server is slow. Look at its database.</p></li><li><p><code>probes</code>: at most four agents are probed at once in a process. After a change of a rubric this is normal for hours.</p></li><li><p>No tasks wait now: a worker was away, and has taken what had waited. The percentile covers five minutes, so the alert stays that long.</p></li></ul><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p>The 95th percentile is below a second for workflow tasks, and below five seconds for activities.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/tasks-start-late.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const tasksStartLate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  tasksStartLate as default
};
