import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0214: A new buyer is one whose first top-up is new","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0214-a-new-buyer-is-one-whose-money-is-new.md","filePath":"adr/money/0214-a-new-buyer-is-one-whose-money-is-new.md"}');
const _sfc_main = { name: "adr/money/0214-a-new-buyer-is-one-whose-money-is-new.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0214-a-new-buyer-is-one-whose-first-top-up-is-new" tabindex="-1">0214: A new buyer is one whose first top-up is new <a class="header-anchor" href="#_0214-a-new-buyer-is-one-whose-first-top-up-is-new" aria-label="Permalink to &quot;0214: A new buyer is one whose first top-up is new&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Supersedes in part <a href="./0191-changed-payout-addresses-wait">ADR 0191</a>: which buyers are new.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Earnings from a new buyer mature late while their developer was never paid, because the owner of a stolen card takes the payment back weeks later. A buyer was new by the age of the account. Accounts cost nothing, so a thief keeps some until they are old, and tops them up with the stolen card then.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A buyer is new while the account, or its first top-up that was paid, is younger than 30 days. A buyer who never paid is as old as the account: no bank can take anything back.</li><li><code>invocation_settle</code> looks for the developer&#39;s paid payout first, so calls of a developer who was paid cost one lookup.</li><li>A line of the developer&#39;s transactions has <code>reserve {reason, matures_at}</code> when its earning matures late. The reason is stored nowhere: it follows from the time between the charge and its maturity, which is longer than the dispute window.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A small top-up with an own card, 30 days before, still makes a buyer old. The limits of top-ups bound what such a buyer can spend.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0214-a-new-buyer-is-one-whose-money-is-new.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0214ANewBuyerIsOneWhoseMoneyIsNew = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0214ANewBuyerIsOneWhoseMoneyIsNew as default
};
