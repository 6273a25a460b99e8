import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0066: A reversed payment takes its credits back","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0066-a-reversed-payment-takes-its-credits-back.md","filePath":"adr/money/0066-a-reversed-payment-takes-its-credits-back.md"}');
const _sfc_main = { name: "adr/money/0066-a-reversed-payment-takes-its-credits-back.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0066-a-reversed-payment-takes-its-credits-back" tabindex="-1">0066: A reversed payment takes its credits back <a class="header-anchor" href="#_0066-a-reversed-payment-takes-its-credits-back" aria-label="Permalink to &quot;0066: A reversed payment takes its credits back&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A payer can get the money of a top-up back at the provider, by a refund or by a chargeback of the bank, and keep or have spent the credits. Wallets are never negative. Events of a provider repeat and arrive in any order.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A refund or a lost dispute is a row of <code>payment_reversals</code>, keyed by the provider&#39;s id, and takes the credits once: from the wallet, and what the wallet lacks is paid by the platform and owed by the payer, as with clawbacks. So <code>cash</code> always mirrors the money outside. Each top-up pays debts first, oldest first. A debt freezes the wallet; <code>frozen_wallets</code> has one row for each cause, so that paying the debt lifts only the freeze of the debt, and an operator lifts only their own. Credits in escrow are not taken: calls that were accepted end as they would, and the next top-up also takes what came back. Together, the reversals of a payment take at most what it credited. An advisory lock on the payment orders the payment and its reversals; a reversal without its payment waits for it.</p><p>Steps of a dispute are ordered by meaning and not by arrival: <code>won</code> ends it and returns the credits, <code>lost</code> takes them unless the dispute was won, <code>closed</code> ends a dispute that took nothing, and <code>created</code> only opens one. A dispute that is open moves no credits and freezes nothing, because it moves no money at the provider either.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>The invoice of a reversed top-up stays as it is. A debt of a payer who never pays again stays with the platform. If two reversals exceed a payment and the first is given back, the second is not raised; the provider refunds no payment in dispute.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0066-a-reversed-payment-takes-its-credits-back.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0066AReversedPaymentTakesItsCreditsBack = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0066AReversedPaymentTakesItsCreditsBack as default
};
