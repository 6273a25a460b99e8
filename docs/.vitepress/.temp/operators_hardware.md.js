import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"How much hardware","description":"","frontmatter":{},"headers":[],"relativePath":"operators/hardware.md","filePath":"operators/hardware.md"}');
const _sfc_main = { name: "operators/hardware.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="how-much-hardware" tabindex="-1">How much hardware <a class="header-anchor" href="#how-much-hardware" aria-label="Permalink to &quot;How much hardware&quot;">​</a></h1><p>These figures were measured (<a href="./../cost-of-a-call">what a call costs</a>, <a href="./../cost-of-history">what history costs</a>) on two loaded cores. Measure your own agents&#39; calls before you buy machines; the arithmetic stays the same.</p><table tabindex="0"><thead><tr><th>What</th><th>Measured</th><th>For 1 million calls a day, 4 × at the peak (46 a second)</th></tr></thead><tbody><tr><td>disk of Postgres</td><td>5.7 kB a call with indexes</td><td>5.7 GB a day, 170 GB a month</td></tr><tr><td>write-ahead log</td><td>estimated 2 to 3 times the rows</td><td>12 to 17 GB a day</td></tr><tr><td>processor of Postgres</td><td>4.2 ms a call in the money steps</td><td>0.2 cores at the peak, with reads about 0.6</td></tr><tr><td>connections</td><td><code>DATABASE_POOL_SIZE</code> (16) a process, and 10 for commands</td><td>2 API processes and 2 workers: 74</td></tr><tr><td>API processes</td><td>100 calls a second for a core, assumed with small bodies</td><td>2, for redundancy</td></tr><tr><td>workers</td><td>background work; two for redundancy</td><td>2</td></tr><tr><td>memory of an API process</td><td>100 MB of it for threads of schemas and tokens (<code>WARM_UP</code>)</td><td>1 GiB, and 20 MiB for each large body in flight</td></tr><tr><td>Temporal</td><td>about 10 history events a call</td><td>460 events a second</td></tr><tr><td>ledger check, incremental</td><td>0.2 ms a call</td><td>3 to 10 minutes a day</td></tr><tr><td>a Monday</td><td>2,000 shares with 100,000 lots in 8 s</td><td>minutes</td></tr><tr><td>one buyer</td><td>calls of one wallet are serial: some 300 a second</td><td>no limit here</td></tr></tbody></table><ul><li>Add an API process when <code>nodejs_eventloop_lag_p99_seconds</code> exceeds 0.1 s for minutes, or <code>market_calls_in_flight</code> comes close to <code>MAX_IN_FLIGHT</code>.</li><li>Enlarge the pool when <code>market_database_connections{state=&quot;waiting&quot;}</code> stays above zero and Postgres has free cores.</li><li>Start API and workers with <code>MALLOC_ARENA_MAX=2</code> and <code>MALLOC_MMAP_THRESHOLD_=131072</code>. The image and <code>npm start</code> set them. Without them, glibc keeps about 150 MiB more after large bodies (<a href="./../internals/bodies#memory">Memory</a>).</li><li>Postgres needs the rows of the open month and of the last days in memory. Older months are read by statements and full checks only.</li><li><a href="./../cost-of-history#what-breaks-next-at-10-million-calls-a-day">What history costs</a> says what breaks at ten million calls a day, and in which order.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operators/hardware.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const hardware = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  hardware as default
};
