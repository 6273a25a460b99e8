import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0033: Top-ups are payment links, and unexpected payments are quarantined","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0033-top-ups-are-payment-links.md","filePath":"adr/money/0033-top-ups-are-payment-links.md"}');
const _sfc_main = { name: "adr/money/0033-top-ups-are-payment-links.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0033-top-ups-are-payment-links-and-unexpected-payments-are-quarantined" tabindex="-1">0033: Top-ups are payment links, and unexpected payments are quarantined <a class="header-anchor" href="#_0033-top-ups-are-payment-links-and-unexpected-payments-are-quarantined" aria-label="Permalink to &quot;0033: Top-ups are payment links, and unexpected payments are quarantined&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Razorpay&#39;s orders have no page of their own: a hosted page needs its script in a page of the service, or a payment link. Events arrive repeatedly, out of order, several for one payment, and the header with an event&#39;s id is not signed.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A top-up is a payment link. The link creates the order, and its <code>reference_id</code>, unique at the provider, is the top-up id, so that a repetition after a lost answer finds the existing link. Only the signed event <code>payment_link.paid</code> adds credits; the payer&#39;s return to a page proves nothing and is ignored. Event ids and payment ids are both unique, written in the transaction that credits. A payment credits nothing if it differs from its top-up in amount or currency, names no top-up, comes after its link was closed, or is a second one. It is stored as <code>quarantined</code> until an operator credits the paid amount, as a separate top-up with its own invoice, or records that it was refunded. Refunds are made at the provider: the service has no permission to send money there.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>One key pair at the provider is enough, without the permission to refund. Events about other things are answered with 200, so that the provider does not disable the address.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0033-top-ups-are-payment-links.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0033TopUpsArePaymentLinks = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0033TopUpsArePaymentLinks as default
};
