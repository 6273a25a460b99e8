import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0057: The database knows which payout runs are open","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0057-the-database-knows-open-payout-runs.md","filePath":"adr/money/0057-the-database-knows-open-payout-runs.md"}');
const _sfc_main = { name: "adr/money/0057-the-database-knows-open-payout-runs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0057-the-database-knows-which-payout-runs-are-open" tabindex="-1">0057: The database knows which payout runs are open <a class="header-anchor" href="#_0057-the-database-knows-which-payout-runs-are-open" aria-label="Permalink to &quot;0057: The database knows which payout runs are open&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A Monday was one Temporal workflow. One child that failed or was terminated ended it, and with it everybody&#39;s Monday; nothing started it again, and payouts stayed <code>pending</code> without a file. The attempt of a retry was computed outside of the database, so three retries shared one attempt, and one was paid.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Each run is a row of <code>payout_runs</code>: Monday, attempt, the developer of a retry, its workflow, begin and end. SQL gives attempts. A loop of every worker starts the runs without an end whose workflow does not run. A run waits for its shares at most five minutes a page, and children outlive it. <code>payout_file_write</code> refuses a file that lacks a pending payout, and <code>payout_reserve</code> takes the lock of the file before it makes a payout pending, so no payout is pending behind a written file.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Temporal&#39;s state may be lost at any point: the rows say what is left. A paid payout can become <code>returned</code> (a late return by the bank); this state, and <code>reserving</code>, are new in the interface.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0057-the-database-knows-open-payout-runs.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0057TheDatabaseKnowsOpenPayoutRuns = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0057TheDatabaseKnowsOpenPayoutRuns as default
};
