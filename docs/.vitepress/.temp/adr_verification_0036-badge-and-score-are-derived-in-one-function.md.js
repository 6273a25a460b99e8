import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0036: Badge, score and visibility of an agent are derived in one SQL function","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0036-badge-and-score-are-derived-in-one-function.md","filePath":"adr/verification/0036-badge-and-score-are-derived-in-one-function.md"}');
const _sfc_main = { name: "adr/verification/0036-badge-and-score-are-derived-in-one-function.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0036-badge-score-and-visibility-of-an-agent-are-derived-in-one-sql-function" tabindex="-1">0036: Badge, score and visibility of an agent are derived in one SQL function <a class="header-anchor" href="#_0036-badge-score-and-visibility-of-an-agent-are-derived-in-one-sql-function" aria-label="Permalink to &quot;0036: Badge, score and visibility of an agent are derived in one SQL function&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes <a href="./0015-the-conformance-probe-alone-decides">ADR 0015</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Badge, score and visibility depend on the newest report, the agent&#39;s status and the developer&#39;s bond. They change in transactions of verification, of bonds and of operators, some of them in SQL functions. Three writers of three columns would diverge, and each would have to notify listings and webhooks.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p><code>agent_standing_refresh(agent)</code> derives all three, writes them if they differ, and records the change for the stream of listings and for webhooks, in the caller&#39;s transaction. One function, <code>bond_standing</code>, returns what the bond permits. A report counts if its version served when the run ended; the newest one applies.</p><p>Probe failures are critical from half of the probes on, and so is a schema for which no input can be generated: otherwise a version could go live that has never answered. That supersedes 0015, with the same outcome for what 0015 rejected.</p><p>Findings of rejected versions are separate from those of the serving version, by agent. A report is signed whenever it is read, because the states of its findings change.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>An agent without a bundle reaches 50 points. Without a bond there is a score and no badge.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0036-badge-and-score-are-derived-in-one-function.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0036BadgeAndScoreAreDerivedInOneFunction = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0036BadgeAndScoreAreDerivedInOneFunction as default
};
