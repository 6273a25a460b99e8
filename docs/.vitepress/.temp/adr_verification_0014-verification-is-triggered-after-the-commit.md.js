import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0014: Verification is triggered after the commit, and swept","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0014-verification-is-triggered-after-the-commit.md","filePath":"adr/verification/0014-verification-is-triggered-after-the-commit.md"}');
const _sfc_main = { name: "adr/verification/0014-verification-is-triggered-after-the-commit.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0014-verification-is-triggered-after-the-commit-and-swept" tabindex="-1">0014: Verification is triggered after the commit, and swept <a class="header-anchor" href="#_0014-verification-is-triggered-after-the-commit-and-swept" aria-label="Permalink to &quot;0014: Verification is triggered after the commit, and swept&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Publishing writes to Postgres and then needs a workflow. A call to the engine inside the transaction would hold locks during a network call, and publishing would fail while the engine is unavailable. An outbox table would need a loop anyway.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The version row is the outbox. The transaction leaves it <code>submitted</code>. Afterwards the API signals the agent&#39;s workflow, with a deadline of 1.5 s, and marks the row if that worked. A loop in the worker triggers versions that have been submitted for 10 s without a trigger, and repeats the trigger for versions that were triggered half an hour ago and are not done. One workflow for each agent runs as long as the agent exists. It runs one verification at a time and reads from the database which version the run is about, so a trigger may come twice.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Publishing works without the engine; the version waits. A lost signal costs some seconds.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0014-verification-is-triggered-after-the-commit.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014VerificationIsTriggeredAfterTheCommit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0014VerificationIsTriggeredAfterTheCommit as default
};
