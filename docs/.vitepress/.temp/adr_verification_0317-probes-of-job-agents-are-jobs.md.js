import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0317: Probes of agents that take jobs are jobs","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0317-probes-of-job-agents-are-jobs.md","filePath":"adr/verification/0317-probes-of-job-agents-are-jobs.md"}');
const _sfc_main = { name: "adr/verification/0317-probes-of-job-agents-are-jobs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0317-probes-of-agents-that-take-jobs-are-jobs" tabindex="-1">0317: Probes of agents that take jobs are jobs <a class="header-anchor" href="#_0317-probes-of-agents-that-take-jobs-are-jobs" aria-label="Permalink to &quot;0317: Probes of agents that take jobs are jobs&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Nothing on the wire may tell a probe from a call of a buyer (ADR 0088), so a probe has the header <code>X-Callback-Url</code>, and an agent may take it as a job. Callbacks about probes were 404: an agent that calls back could not be verified, and the 404 told it that it was probed.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>Before a probe is sent to an agent that takes jobs, a row of <code>probe_jobs</code> is made. A callback about it is authenticated, limited and answered like one about a call: 202, 401 for a wrong signature, 409 after the end. The row stays for 31 days, so that a late callback is still 409.</li><li>The stage waits up to a minute for the answer of each job, and reads the callbacks from the row. It does so in the turn of its run, which other agents do not wait for. A stage that is repeated after a crash begins its jobs again.</li><li>The time until the 202 is the latency of a probe. The duration of the job stands apart (<code>jobs</code> in the evidence), so a job agent is not slow.</li><li>After the other calls, one job is cancelled while it runs, if the agent calls back at all. Whether it goes on is reported, without a deduction.</li><li>Findings: no answer in time and no signature (medium), progress that runs backwards (low), work that goes on after a cancellation (info).</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent cannot declare a shorter time for probes: it could not tell for which calls it holds. Its examples should be short.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0317-probes-of-job-agents-are-jobs.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0317ProbesOfJobAgentsAreJobs = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0317ProbesOfJobAgentsAreJobs as default
};
