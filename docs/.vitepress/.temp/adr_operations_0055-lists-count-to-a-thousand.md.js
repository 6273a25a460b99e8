import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0055: Lists count to 1,000, and readiness shows failing loops","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0055-lists-count-to-a-thousand.md","filePath":"adr/operations/0055-lists-count-to-a-thousand.md"}');
const _sfc_main = { name: "adr/operations/0055-lists-count-to-a-thousand.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0055-lists-count-to-1-000-and-readiness-shows-failing-loops" tabindex="-1">0055: Lists count to 1,000, and readiness shows failing loops <a class="header-anchor" href="#_0055-lists-count-to-1-000-and-readiness-shows-failing-loops" aria-label="Permalink to &quot;0055: Lists count to 1,000, and readiness shows failing loops&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Each page of a list counted the whole list: 0.2 s for the lines of a developer with 200,000 of them, more than the page itself. A page of calls with a rare status read all calls of a buyer. A loop of a worker that failed for days was seen in one counter of one process.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>total</code> is exact for lists of up to 1,000 items and left out for longer ones (contract: &quot;a list that may be long leaves <code>total</code> out&quot;). Counting reads at most 1,001 rows of an index. A2A requires <code>totalSize</code>: it is then 1,001.</li><li>A page of calls or of ledger lines with a filter compares at most 5,000 of them (of each account) with it. Such a page may have fewer items than <code>limit</code>, or none, and a <code>next_cursor</code> that continues the search.</li><li>The outbox steps over the index of waiting deliveries from endpoint to endpoint, in a circle, and takes of each only what the endpoint may start. A backlog of any size for a blocked endpoint costs one row. The metric counts to 10,000.</li><li>A loop counts as failing after three failed turns in a row, or when no turn ended well for three pauses and a minute. The worker reports the names every 5 s (<code>loop_reports</code>); <code>GET /readiness</code> shows them as <code>checks.loops</code> and <code>failing_loops</code>, and the worker&#39;s metric <code>market_loop_failing</code> has one row per loop.</li><li>Failing loops do not make <code>status</code> <code>not_ready</code>: an API process serves calls without them, and taking all of them out of service would turn a failing loop into an outage.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Clients must not stop at a page with few items while it has a <code>next_cursor</code>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0055-lists-count-to-a-thousand.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0055ListsCountToAThousand = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0055ListsCountToAThousand as default
};
