import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0316: Durations of jobs stand apart from those of calls","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0316-durations-of-jobs-stand-apart.md","filePath":"adr/catalogue/0316-durations-of-jobs-stand-apart.md"}');
const _sfc_main = { name: "adr/catalogue/0316-durations-of-jobs-stand-apart.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0316-durations-of-jobs-stand-apart-from-those-of-calls" tabindex="-1">0316: Durations of jobs stand apart from those of calls <a class="header-anchor" href="#_0316-durations-of-jobs-stand-apart-from-those-of-calls" aria-label="Permalink to &quot;0316: Durations of jobs stand apart from those of calls&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An agent that takes jobs may answer one call within a second and work on the next for hours. One percentile over both says nothing: a median of two hours for an agent that mostly answers at once, or the reverse. Listings, the figures of developers and operators, and metrics had one.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A call that its agent has accepted as a job is a job in all figures, also when it ends within a second. All other calls are calls.</li><li><code>p50_ms</code> and <code>p95_ms</code> are those of calls alone, in listings, analytics and the figures of the marketplace. Beside them stands <code>jobs: {count, p50_ms, p95_ms}</code>, of jobs that succeeded. Counts of calls, success rates and money contain both.</li><li>The duration of a job is the time from the call to the answer, as in its <code>usage.duration_ms</code>.</li><li>Roll-ups keep their columns: a job has the bucket of its duration plus 1000 (<code>usage_bucket</code>), so reading costs the same after any number of jobs. Waiting changes say <code>is_job</code>. A settled call looks for its job only if it is a task, so other calls cost nothing more.</li><li><code>market_call_duration_seconds</code> is without jobs; <code>market_job_duration_seconds</code> has them.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Jobs that ended before this change are in the figures of calls until the owner of the tables runs <code>usage_recount()</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0316-durations-of-jobs-stand-apart.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0316DurationsOfJobsStandApart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0316DurationsOfJobsStandApart as default
};
