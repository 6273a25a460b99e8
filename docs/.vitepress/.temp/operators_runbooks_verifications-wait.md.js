import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"A verification waits","description":"","frontmatter":{},"headers":[],"relativePath":"operators/runbooks/verifications-wait.md","filePath":"operators/runbooks/verifications-wait.md"}');
const _sfc_main = { name: "operators/runbooks/verifications-wait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="a-verification-waits" tabindex="-1">A verification waits <a class="header-anchor" href="#a-verification-waits" aria-label="Permalink to &quot;A verification waits&quot;">​</a></h1><p>Alerts: <code>VerificationsWait</code>.</p><p>A published version has no verdict after an hour. Most take minutes. Its predecessor keeps serving.</p><h2 id="look" tabindex="-1">Look <a class="header-anchor" href="#look" aria-label="Permalink to &quot;Look&quot;">​</a></h2><p>In Temporal&#39;s UI, the view <code>WorkflowType = &quot;verificationRun&quot; AND ExecutionStatus = &quot;Running&quot;</code> shows the runs; the current details of a run name its stage. A pending activity shows the reason of its last failure.</p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>market_verifications_waiting</span></span></code></pre></div><h2 id="act" tabindex="-1">Act <a class="header-anchor" href="#act" aria-label="Permalink to &quot;Act&quot;">​</a></h2><ol><li>No run in the view: the worker or Temporal was down. The sweep starts it within 15 seconds.</li><li>A run that repeats an activity: a defect or a full disk for bundles. After six hours the run ends as <code>faulted</code>, and no score changes.</li><li>Many runs: a new rubric or a new advisory. They are paced; nothing is to be done.</li></ol><h2 id="it-is-over-when" tabindex="-1">It is over when <a class="header-anchor" href="#it-is-over-when" aria-label="Permalink to &quot;It is over when&quot;">​</a></h2><p><code>market_verifications_oldest_seconds</code> is below an hour.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/runbooks/verifications-wait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const verificationsWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  verificationsWait as default
};
