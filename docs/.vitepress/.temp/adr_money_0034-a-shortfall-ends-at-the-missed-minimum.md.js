import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0034: A bond shortfall ends when the bond reaches the missed minimum","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0034-a-shortfall-ends-at-the-missed-minimum.md","filePath":"adr/money/0034-a-shortfall-ends-at-the-missed-minimum.md"}');
const _sfc_main = { name: "adr/money/0034-a-shortfall-ends-at-the-missed-minimum.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0034-a-bond-shortfall-ends-when-the-bond-reaches-the-missed-minimum" tabindex="-1">0034: A bond shortfall ends when the bond reaches the missed minimum <a class="header-anchor" href="#_0034-a-bond-shortfall-ends-when-the-bond-reaches-the-missed-minimum" aria-label="Permalink to &quot;0034: A bond shortfall ends when the bond reaches the missed minimum&quot;">​</a></h1><p>Status: superseded in part.</p><ul><li>Superseded in part by <a href="./0190-a-slash-takes-what-it-refunds-or-is-a-penalty">ADR 0190</a>: refunds of a slash never exceed the charges of its calls.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The tier of a bond is the highest minimum reached at the last deposit or withdrawal. With this rule alone, a slashed developer could deposit or withdraw one credit, fall to a lower tier or to none, and have no shortfall at once.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A deposit never lowers the tier, and a shortfall stores the missed minimum: only a bond that reaches it ends the shortfall. A withdrawal lowers the tier, and leaves a shortfall open. Nothing is paid from a bond while one of its slashes is undecided; the transaction that decides the last one pays waiting withdrawals.</p><p>An operator may overturn a slash at any time and uphold it only after a counter-argument: the seven days belong to the developer. A slash of an empty bond is refused, because there is nothing to refund from.</p><p>Several final slashes share an open shortfall and its deadline, so none extends the time.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A developer who wants a lower tier after a slash tops up first and then withdraws. Refunds may exceed the cost of a call if the slash is larger than the rest of its charges.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0034-a-shortfall-ends-at-the-missed-minimum.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0034AShortfallEndsAtTheMissedMinimum = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0034AShortfallEndsAtTheMissedMinimum as default
};
