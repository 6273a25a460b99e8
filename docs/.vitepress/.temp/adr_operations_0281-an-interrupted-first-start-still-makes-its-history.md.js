import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0281: A first start that was interrupted still makes its history","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0281-an-interrupted-first-start-still-makes-its-history.md","filePath":"adr/operations/0281-an-interrupted-first-start-still-makes-its-history.md"}');
const _sfc_main = { name: "adr/operations/0281-an-interrupted-first-start-still-makes-its-history.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0281-a-first-start-that-was-interrupted-still-makes-its-history" tabindex="-1">0281: A first start that was interrupted still makes its history <a class="header-anchor" href="#_0281-a-first-start-that-was-interrupted-still-makes-its-history" aria-label="Permalink to &quot;0281: A first start that was interrupted still makes its history&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0280-a-first-start-makes-up-thirty-days-in-a-past-of-its-own">ADR 0280</a>: days that were sealed since an interruption are unsealed.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The history is two transactions, with the publication of the agents between them. A first start that was interrupted there left a day of thirty-one days ago in the ledger. The worker of the next start seals such days within a minute, and days that are sealed get no entries. So the next start nearly always left the history out, for good: charts with one dot, and pages of sellers without content. The same happened when a worker sealed at the moment in which the start looked.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>As long as no call was made, the second transaction takes all seals back before it writes, and the days are sealed anew after it. Only the superuser of the embedded Postgres can do this. The seals of days without a call prove nothing that is lost.</li><li>A start waits up to a minute for a worker that seals.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A marketplace in which a call was made is left as it is, as before. A top-up of a person between the two starts stays, in a day that is sealed again.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0281-an-interrupted-first-start-still-makes-its-history.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0281AnInterruptedFirstStartStillMakesItsHistory = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0281AnInterruptedFirstStartStillMakesItsHistory as default
};
