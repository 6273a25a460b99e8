import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0125: With a build id, workflows end on the worker build that they began on","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0125-workflows-end-on-the-build-they-began-on.md","filePath":"adr/operations/0125-workflows-end-on-the-build-they-began-on.md"}');
const _sfc_main = { name: "adr/operations/0125-workflows-end-on-the-build-they-began-on.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0125-with-a-build-id-workflows-end-on-the-worker-build-that-they-began-on" tabindex="-1">0125: With a build id, workflows end on the worker build that they began on <a class="header-anchor" href="#_0125-with-a-build-id-workflows-end-on-the-worker-build-that-they-began-on" aria-label="Permalink to &quot;0125: With a build id, workflows end on the worker build that they began on&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Slashes and withdrawals wait for up to 90 days. Changes of their code are guarded by patches and by saved histories. A release may still need code that cannot replay what runs, and an operator may want to try a release on new workflows only.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>WORKER_BUILD_ID</code> makes the worker of the queue <code>operations</code> part of Temporal&#39;s worker deployment <code>marketplace</code>, with the behaviour <code>PINNED</code>: each workflow ends on the build that it began on. The operator makes a build the current one with Temporal&#39;s own command. Without the setting nothing changes. The queues <code>invocations</code>, <code>probes</code> and those of single processes stay unversioned: their work ends in seconds.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p><code>test/workflow/worker-versions.test.ts</code> runs two builds side by side, the second with a workflow that cannot replay slashes of the first. Workers of an old build have to run until it is drained. <code>AUTO_UPGRADE</code> as the default was not chosen: it would replay every waiting workflow on the new build, which is what deployments without a build id do already.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0125-workflows-end-on-the-build-they-began-on.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0125WorkflowsEndOnTheBuildTheyBeganOn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0125WorkflowsEndOnTheBuildTheyBeganOn as default
};
